import { notifications } from '@mantine/notifications';
import { asRefusal } from '../api/refusal';

/** Says in passing that something was done. */
export function say(message: string): void {
  notifications.show({ message, withBorder: true, closeButtonProps: { 'aria-label': 'Close this message' } });
}

/** Says in passing that something that has no form of its own was refused. */
export function sayRefused(thrown: unknown): void {
  notifications.show({
    message: asRefusal(thrown).message,
    color: 'brick',
    withBorder: true,
    autoClose: 12_000,
    closeButtonProps: { 'aria-label': 'Close this message' },
  });
}
