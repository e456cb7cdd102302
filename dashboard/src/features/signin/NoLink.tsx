import { Link } from '@tanstack/react-router';
import { Empty } from '../../ui/Empty';

/** What a page shows that is opened by the link of a mail, when it was opened another way or loaded again. */
export function NoLink() {
  return (
    <Empty title="Open the link of the mail" action={<Link to="/sign-in">Go to sign-in</Link>}>
      This page works only by the link that we sent, and forgets it when it is loaded again. Open the link once more.
    </Empty>
  );
}
