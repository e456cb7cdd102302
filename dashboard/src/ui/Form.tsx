import {
  Button,
  NativeSelect,
  PasswordInput,
  Switch,
  TextInput,
  Textarea,
  type NativeSelectProps,
  type PasswordInputProps,
  type SwitchProps,
  type TextInputProps,
  type TextareaProps,
} from '@mantine/core';
import { createContext, useContext, useState, type FormEvent, type ReactNode } from 'react';
import { asRefusal, type Issue, type Refusal } from '../api/refusal';
import { Refused } from './Refused';

/** What was filled in, by the names of the fields. */
export class Values {
  constructor(private readonly data: FormData) {}

  text(name: string): string {
    return String(this.data.get(name) ?? '').trim();
  }

  /** As it was typed: blanks at the ends of a password count. */
  secret(name: string): string {
    return String(this.data.get(name) ?? '');
  }

  on(name: string): boolean {
    return this.data.has(name);
  }

  all(name: string): string[] {
    return this.data.getAll(name).map(String);
  }

  /** One item a line; empty lines are none. */
  lines(name: string): string[] {
    return this.text(name)
      .split(/[\n,]/)
      .map((line) => line.trim())
      .filter(Boolean);
  }

  /** null when the field is empty. */
  number(name: string): number | null {
    return this.text(name) === '' ? null : Number(this.text(name));
  }
}

const Issues = createContext<readonly Issue[]>([]);

function useIssue(name: string | undefined): string | undefined {
  return useContext(Issues).find(({ field }) => field === name)?.message;
}

type Props = {
  /** Sends what was filled in. A refusal that it throws is shown, at its fields where it names them. */
  send: (values: Values) => Promise<unknown>;
  label: string;
  danger?: boolean;
  disabled?: boolean;
  /** Shows a refusal in words of its own, or undefined for the usual ones. */
  explain?: (refusal: Refusal) => ReactNode | undefined;
  /** Takes the whole width, for fields that stand beside each other. */
  wide?: boolean;
  /** Further buttons beside the one that sends. */
  more?: ReactNode;
  children?: ReactNode;
};

/** A form that cannot be sent twice at once, and that says what was wrong where it was wrong. */
export function Form({ send, label, danger = false, disabled = false, explain, wide = false, more, children }: Props) {
  const [refusal, setRefusal] = useState<Refusal>();
  const [sending, setSending] = useState(false);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending) return;

    setSending(true);
    setRefusal(undefined);
    void send(new Values(new FormData(event.currentTarget)))
      .catch((error: unknown) => setRefusal(asRefusal(error)))
      .finally(() => setSending(false));
  };

  return (
    <form onSubmit={submit} className={wide ? 'form form-wide' : 'form'}>
      <Issues value={refusal?.issues ?? []}>
        {refusal && (explain?.(refusal) ?? <Refused refusal={refusal} />)}
        {children}
        <div className="actions">
          <Button type="submit" loading={sending} disabled={disabled} {...(danger ? { color: 'brick' } : {})}>
            {label}
          </Button>
          {more}
        </div>
      </Issues>
    </form>
  );
}

export function TextField(props: TextInputProps & { name: string }) {
  return <TextInput withAsterisk={false} error={useIssue(props.name)} {...props} />;
}

export function LongField(props: TextareaProps & { name: string }) {
  return <Textarea withAsterisk={false} autosize minRows={3} error={useIssue(props.name)} {...props} />;
}

const visibility = { 'aria-label': 'Show what is typed' };

export function PasswordField(props: PasswordInputProps & { name: string }) {
  return (
    <PasswordInput
      withAsterisk={false}
      required
      error={useIssue(props.name)}
      visibilityToggleButtonProps={visibility}
      {...props}
    />
  );
}

export function ChoiceField(props: NativeSelectProps & { name: string }) {
  return <NativeSelect error={useIssue(props.name)} {...props} />;
}

export function SwitchField(props: SwitchProps & { name: string }) {
  return <Switch error={useIssue(props.name)} {...props} />;
}
