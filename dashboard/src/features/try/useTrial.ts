import { useRef, useState } from 'react';
import { newKey } from '../../api/client';
import { submit, type Field, type Outcome } from '../../api/submit';

export type Try = { readonly id: number; readonly key: string; readonly outcome: Outcome };

const shown = 6;

const firstFields: readonly Field[] = [
  { name: 'name', value: 'Ada Lovelace' },
  { name: 'email', value: 'ada@example.com' },
  { name: 'message', value: 'Please call me back about the engine.' },
];

const tryKey = () => newKey('try');

/** One form that is filled in and sent, with the key that it carries and what became of each try, newest first. */
export function useTrial(endpoint: string) {
  const [fields, setFields] = useState(firstFields);
  const [key, setKey] = useState(tryKey);
  const [tries, setTries] = useState<readonly Try[]>([]);
  const [sending, setSending] = useState(false);
  const count = useRef(0);

  async function send(withKey: string) {
    if (sending) return;
    setSending(true);
    const outcome = await submit(endpoint, fields, withKey);
    count.current += 1;
    const latest = { id: count.current, key: withKey, outcome };
    setTries((earlier) => [latest, ...earlier].slice(0, shown));
    setSending(false);
  }

  const keyWasSent = tries.some((one) => one.key === key);

  return {
    fields,
    setField: (name: string, value: string) =>
      setFields((before) => before.map((field) => (field.name === name ? { name, value } : field))),
    key,
    renewKey: () => setKey(tryKey()),
    keyWasSent,
    tries,
    sending,
    /** Sends the fields as something new: a key that was sent before is replaced first. */
    sendNew: () => {
      const fresh = keyWasSent ? tryKey() : key;
      setKey(fresh);
      return send(fresh);
    },
    sendAgain: () => send(key),
  };
}

export type Trial = ReturnType<typeof useTrial>;
