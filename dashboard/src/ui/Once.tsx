import { CopyText } from './CopyText';

type Props = { name: string; text: string };

/** A secret that the service shows this one time. */
export function Once({ name, text }: Props) {
  return (
    <div className="once" role="status" data-tone="warn">
      <p>
        <strong>{name}</strong> is shown only now. Keep it where it is safe before you leave this page.
      </p>
      <CopyText name={name} text={text} />
    </div>
  );
}
