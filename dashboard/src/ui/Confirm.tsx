import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Form, type Values } from './Form';

type Props = {
  /** The button that opens the question. */
  button: string;
  /** Names the thing for people who do not see what stands beside the button. */
  name?: string;
  title: string;
  label: string;
  quiet?: boolean;
  danger?: boolean;
  send: (values: Values) => Promise<unknown>;
  children?: ReactNode;
};

/** A button whose act is asked about first, in a dialog that can hold fields. */
export function Confirm({ button, name, title, label, quiet = false, danger = true, send, children }: Props) {
  const [opened, { open, close }] = useDisclosure(false);

  return (
    <>
      <Button
        variant={quiet ? 'subtle' : 'default'}
        size={quiet ? 'compact-sm' : 'xs'}
        className={danger ? 'danger-text' : 'ink'}
        onClick={open}
        {...(name ? { 'aria-label': `${button}: ${name}` } : {})}
      >
        {button}
      </Button>
      <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }} centered>
        <Form
          label={label}
          danger={danger}
          send={async (values) => {
            await send(values);
            close();
          }}
          more={
            <Button variant="default" onClick={close}>
              Keep it as it is
            </Button>
          }
        >
          {children}
        </Form>
      </Modal>
    </>
  );
}
