import { Refusal } from '../../api/refusal';
import type { SchemaField } from '../../api/schemas';

/** Reads the fields from their JSON. Throws a refusal that says where it is broken; what the fields mean the API checks. */
export function parseFields(json: string): SchemaField[] {
  let fields: unknown;
  try {
    fields = JSON.parse(json);
  } catch (error) {
    throw new Refusal(
      0,
      'malformed_json',
      `This is no JSON: ${error instanceof Error ? error.message : 'check its commas and quotes'}`,
    );
  }

  if (!Array.isArray(fields)) throw new Refusal(0, 'malformed_json', 'Write a list: [ { "key": …, "type": … } ].');
  return fields as SchemaField[];
}
