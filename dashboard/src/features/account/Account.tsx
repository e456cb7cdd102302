import { useQuery } from '@tanstack/react-query';
import { account } from '../../api/account';
import { Loaded } from '../../ui/Loaded';
import { Screen } from '../../ui/Screen';
import { CloseAccount } from './CloseAccount';
import { Passkeys } from './Passkeys';
import { Password } from './Password';
import { Person } from './Person';
import { SecondFactor } from './SecondFactor';
import { Sessions } from './Sessions';

/** What belongs to the person, in whichever tenant they are. */
export function Account() {
  const query = useQuery(account);

  return (
    <Screen title="Your account" lead="What is here is yours in every tenant that you are in.">
      <Loaded query={query} what="your account">
        {(found) => (
          <>
            <Person found={found} />
            <Password found={found} />
            <SecondFactor />
            <Passkeys />
            <Sessions />
            <CloseAccount found={found} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}
