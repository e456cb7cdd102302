import { Title } from '@mantine/core';
import { CopyText } from '../../ui/CopyText';
import { createCommand, curlCommand, listCommand, ownEndpoint } from './commands';

function steps(origin: string) {
  return [
    { title: 'Make an endpoint', why: 'A public address that takes submissions.', command: createCommand(ownEndpoint) },
    { title: 'Post to it', why: 'From a form, a script, or here from a shell.', command: curlCommand(origin, ownEndpoint) },
    { title: 'See what arrived', why: 'Each submission once, with its replays counted.', command: listCommand(ownEndpoint) },
  ];
}

export function FirstCommands() {
  return (
    <section aria-labelledby="commands-title">
      <Title order={2} id="commands-title">
        Your own endpoint in three commands
      </Title>
      <p className="muted">
        Run them in the project&rsquo;s folder. <code>demo</code> is the tenant that <code>make run</code> made; put the
        name of yours in its place.
      </p>
      <ol className="steps">
        {steps(window.location.origin).map(({ title, why, command }) => (
          <li key={title} className="panel step">
            <div>
              <Title order={3}>{title}</Title>
              <p className="muted">{why}</p>
            </div>
            <CopyText name={title} text={command} />
          </li>
        ))}
      </ol>
    </section>
  );
}
