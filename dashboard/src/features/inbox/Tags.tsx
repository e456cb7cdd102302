import { TagsInput } from '@mantine/core';

type Props = { tags: readonly string[]; onChange: ((tags: string[]) => Promise<unknown>) | undefined };

export function Tags({ tags, onChange }: Props) {
  return (
    <TagsInput
      label="Tags"
      description={onChange ? 'Enter adds one.' : undefined}
      value={[...tags]}
      onChange={(changed) => void onChange?.(changed)}
      readOnly={!onChange}
      maxTags={20}
    />
  );
}
