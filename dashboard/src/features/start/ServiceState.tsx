import { Text, Title } from '@mantine/core';
import type { Readiness } from '../../api/readiness';

type Words = { tone: string; title: string; pill: string; sentence: string };

function words(state: Readiness | undefined): Words {
  if (state === undefined) {
    return { tone: 'waiting', title: 'Formonce', pill: 'Asking', sentence: 'Asking the service how it is.' };
  }

  switch (state.kind) {
    case 'ready':
      return {
        tone: 'good',
        title: 'Formonce is running',
        pill: 'Ready',
        sentence: 'The service answers, its database is reachable and its tables are up to date. Point a form at it.',
      };
    case 'not-ready':
      return { tone: 'bad', title: 'Formonce is not ready', pill: 'Not ready', sentence: state.reason };
    case 'silent':
      return {
        tone: 'bad',
        title: 'Formonce does not answer',
        pill: 'No answer',
        sentence: 'Start it again with make run. This page looks for it every ten seconds.',
      };
  }
}

export function ServiceState({ state }: { state: Readiness | undefined }) {
  const { tone, title, pill, sentence } = words(state);

  return (
    <section className="state" aria-live="polite">
      <span className="pill" data-tone={tone}>
        {pill}
      </span>
      <Title order={1} className="state-title">
        {title}
      </Title>
      <Text className="lead">{sentence}</Text>
    </section>
  );
}
