import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { newest } from '../../api/queries';
import type { Refusal } from '../../api/refusal';
import { draftOf, saveDraft, type Draft, type Schema, type SchemaField } from '../../api/schemas';
import { useMay } from '../../api/who';
import { ChoiceField, Form, LongField, TextField, type Values } from '../../ui/Form';
import { Loaded } from '../../ui/Loaded';
import { say } from '../../ui/notice';
import { Panel } from '../../ui/Panel';
import { FieldRows } from './FieldRows';
import { parseFields } from './parseFields';
import { useRevised } from '../../ui/useRevised';
import { Publish } from './Publish';
import { Versions } from './Versions';

/** The fields that the endpoint knows: the draft, which can be changed, and the versions, which stay as they are. */
export function SchemaEditor() {
  const { endpoint } = useParams({ from: '/app/endpoints/$endpoint' });
  const query = useQuery(draftOf(endpoint));

  return (
    <Loaded query={query} what="the fields">
      {(draft) => (
        <>
          <DraftPanel endpoint={endpoint} found={draft} />
          <Versions endpoint={endpoint} published={draft.published_version} />
        </>
      )}
    </Loaded>
  );
}

const lead =
  'Submissions are checked by the published version. Whatever you change here counts from the moment you publish it; a retry is always judged by the version that accepted the first try.';

function DraftPanel({ endpoint, found }: { endpoint: string; found: Draft }) {
  const editor = useMay('editor');
  const { base, etag, saved, explain } = useRevised(found, () => newest(draftOf(endpoint)));

  const save = async (schema: Schema) => {
    saved(await saveDraft(endpoint, etag, schema));
    say('The draft is saved.');
  };

  return (
    <Panel title="Draft" lead={lead} actions={<Standing draft={found} />}>
      <DraftForm key={base.etag} base={base} save={save} explain={explain} editor={editor} />
      {editor && <Publish endpoint={endpoint} draft={found} />}
    </Panel>
  );
}

function Standing({ draft }: { draft: Draft }) {
  if (draft.published_version === 0)
    return (
      <span className="pill" data-tone="waiting">
        Nothing published
      </span>
    );
  if (draft.differs)
    return (
      <span className="pill" data-tone="warn">
        Differs from version {draft.published_version}
      </span>
    );
  return (
    <span className="pill" data-tone="good">
      Published as version {draft.published_version}
    </span>
  );
}

type Mode = 'rows' | 'json';

type FormProps = {
  base: Draft;
  save: (schema: Schema) => Promise<void>;
  explain: (refusal: Refusal) => ReactNode | undefined;
  editor: boolean;
};

function DraftForm({ base, save, explain, editor }: FormProps) {
  const [mode, setMode] = useState<Mode>('rows');
  const [fields, setFields] = useState<SchemaField[]>(base.fields);

  const send = (values: Values) =>
    save({
      fields: mode === 'json' ? parseFields(values.text('json')) : fields,
      unknown_fields: values.text('unknown_fields') as Schema['unknown_fields'],
      default_region: values.text('default_region').toUpperCase(),
    });

  return (
    <Form label="Save the draft" send={async (values) => send(values)} disabled={!editor} explain={explain} wide>
      <SegmentedControl<Mode>
        aria-label="Show the fields as"
        value={mode}
        onChange={setMode}
        data={[
          { value: 'rows', label: 'Rows' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      <fieldset className="fields" disabled={!editor}>
        {mode === 'rows' ? (
          <FieldRows fields={fields} onChange={setFields} />
        ) : (
          <LongField
            name="json"
            label="Fields as JSON"
            classNames={{ input: 'mono' }}
            defaultValue={JSON.stringify(fields, null, 2)}
            minRows={12}
            spellCheck={false}
          />
        )}
        <ChoiceField
          name="unknown_fields"
          label="Fields that are not in the list"
          defaultValue={base.unknown_fields}
          data={[
            { value: 'keep', label: 'are kept' },
            { value: 'drop', label: 'are left out' },
            { value: 'refuse', label: 'refuse the submission' },
          ]}
        />
        <TextField
          name="default_region"
          label="Country of phone numbers without +"
          description="Two letters, such as DE"
          defaultValue={base.default_region}
          maxLength={2}
        />
      </fieldset>
    </Form>
  );
}
