import { Button, Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core';
import { fieldTypes, type FieldType, type SchemaField } from '../../api/schemas';

type Props = { fields: SchemaField[]; onChange: (fields: SchemaField[]) => void };

/** The fields one below the other. What a row does not show, such as limits and conditions, stays as the JSON says. */
export function FieldRows({ fields, onChange }: Props) {
  const replace = (i: number, field: SchemaField) => onChange(fields.map((one, at) => (at === i ? field : one)));
  const add = () => onChange([...fields, { key: freshKey(fields), type: 'text', label: '' }]);

  return (
    <>
      <ol className="cards field-rows">
        {fields.map((field, i) => (
          <li key={i} className="group">
            <Row field={field} onChange={(changed) => replace(i, changed)} />
            <div className="actions">
              <Step label="Up" name={field.key} disabled={i === 0} onClick={() => onChange(moved(fields, i, -1))} />
              <Step
                label="Down"
                name={field.key}
                disabled={i === fields.length - 1}
                onClick={() => onChange(moved(fields, i, 1))}
              />
              <Step label="Remove" name={field.key} onClick={() => onChange(fields.filter((_, at) => at !== i))} />
            </div>
          </li>
        ))}
      </ol>
      <div className="actions">
        <Button variant="default" onClick={add}>
          Add a field
        </Button>
      </div>
    </>
  );
}

function Row({ field, onChange }: { field: SchemaField; onChange: (field: SchemaField) => void }) {
  const set = (part: Partial<SchemaField>) => onChange({ ...field, ...part });

  return (
    <>
      <div className="filters">
        <TextInput
          label="Key"
          value={field.key}
          onChange={(event) => set({ key: event.currentTarget.value })}
          classNames={{ input: 'mono' }}
          autoCapitalize="none"
          spellCheck={false}
          autoComplete="off"
        />
        <NativeSelect
          label="Type"
          value={field.type}
          onChange={(event) => onChange(retyped(field, event.currentTarget.value as FieldType))}
          data={[...fieldTypes]}
        />
        <TextInput
          label="Label"
          value={field.label ?? ''}
          onChange={(event) => set({ label: event.currentTarget.value })}
          autoComplete="off"
        />
      </div>
      {(field.type === 'select' || field.type === 'multiselect') && (
        <Textarea
          label="Choices"
          description="One a line. A label of its own stands behind an equals sign: de = Germany"
          autosize
          minRows={2}
          defaultValue={optionLines(field)}
          onBlur={(event) => set({ options: readOptions(event.currentTarget.value) })}
        />
      )}
      {field.type === 'consent' && (
        <Textarea
          label="What is agreed to"
          autosize
          value={field.consent_text ?? ''}
          onChange={(event) => set({ consent_text: event.currentTarget.value })}
        />
      )}
      <Checkbox
        label="Required"
        checked={field.required ?? false}
        onChange={(event) => set({ required: event.currentTarget.checked })}
      />
    </>
  );
}

type StepProps = { label: string; name: string; disabled?: boolean; onClick: () => void };

function Step({ label, name, disabled = false, onClick }: StepProps) {
  return (
    <Button variant="default" size="compact-sm" aria-label={`${label}: ${name}`} disabled={disabled} onClick={onClick}>
      {label}
    </Button>
  );
}

function freshKey(fields: readonly SchemaField[]): string {
  const taken = new Set(fields.map(({ key }) => key));
  let number = fields.length + 1;
  while (taken.has(`field_${number}`)) number += 1;
  return `field_${number}`;
}

export function moved<T>(list: readonly T[], from: number, by: number): T[] {
  const others = list.toSpliced(from, 1);
  return others.toSpliced(from + by, 0, list[from] as T);
}

// Rules of the other type would be refused; what every type has stays.
function retyped({ key, label, help, required, shown, required_when }: SchemaField, type: FieldType): SchemaField {
  const kept = { label, help, required, shown, required_when };
  return { key, type, ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) };
}

function optionLines({ options = [] }: SchemaField): string {
  return options
    .map((option) => (typeof option === 'string' ? { value: option, label: option } : option))
    .map(({ value, label }) => (label && label !== value ? `${value} = ${label}` : value))
    .join('\n');
}

function readOptions(lines: string): { value: string; label?: string }[] {
  return lines
    .split('\n')
    .map((line) => /^\s*(.*?)\s*(?:=\s*(.*?)\s*)?$/.exec(line))
    .filter((match) => match?.[1])
    .map((match) => ({ value: match?.[1] ?? '', ...(match?.[2] ? { label: match[2] } : {}) }));
}
