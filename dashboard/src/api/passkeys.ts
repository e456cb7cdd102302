import { queryOptions } from '@tanstack/react-query';
import { api, open, take, type Answer } from './client';
import { refresh } from './queries';
import { Refusal } from './refusal';
import { begin } from './signin';

export type Passkey = Answer<'/passkeys', 'get'>['data'][number];

/** Whether this browser has passkeys at this address, and speaks of them in JSON (WebAuthn level 3, 5.1). */
export function canUsePasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
}

export const passkeyList = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => take(api.GET('/passkeys')),
});

export async function registerPasskey(name: string): Promise<void> {
  const { ceremony_id, public_key } = await take(api.POST('/passkeys/registration'));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    public_key as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await asked(navigator.credentials.create({ publicKey }));
  await take(api.POST('/passkeys', { body: { ceremony_id, name, credential } }));
  await refresh('passkeys', 'second-factor');
}

/** Signs in with a passkey, which stands for both the password and the second step. */
export async function signInWithPasskey(): Promise<void> {
  begin(await take(open.POST('/session/passkey', { body: await shown() })));
}

/** Answers the challenge of a second step with a passkey. */
export async function answerWithPasskey(challenge: string): Promise<void> {
  const body = { challenge, ...(await shown({ challenge })) };
  begin(await take(open.POST('/session/second-factor', { body })));
}

async function shown(body: { challenge?: string } = {}): Promise<{ ceremony_id: string; credential: Json }> {
  const { ceremony_id, public_key } = await take(open.POST('/session/passkey/options', { body }));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    public_key as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return { ceremony_id, credential: await asked(navigator.credentials.get({ publicKey })) };
}

// The contract leaves what the browser says about a credential to the standard.
type Json = Record<string, unknown>;

// The browser throws when its question was closed, timed out, or the device has nothing that fits.
async function asked(question: Promise<Credential | null>): Promise<Json> {
  let answer: Credential | null;
  try {
    answer = await question;
  } catch (error) {
    const known = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new Refusal(
      0,
      'passkey_refused',
      known ? 'This device has a passkey for you already.' : 'No passkey was used. Try again, or choose another way.',
    );
  }

  return (answer as PublicKeyCredential).toJSON() as unknown as Json;
}

export async function renamePasskey(passkey: string, name: string): Promise<void> {
  await take(api.PATCH('/passkeys/{passkey}', { params: { path: { passkey } }, body: { name } }));
  await refresh('passkeys');
}

export async function deletePasskey(passkey: string): Promise<void> {
  await take(api.DELETE('/passkeys/{passkey}', { params: { path: { passkey } } }));
  await refresh('passkeys', 'second-factor');
}
