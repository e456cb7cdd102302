import { useParams } from '@tanstack/react-router';
import { TryIt } from './TryIt';

export function TryEndpoint() {
  const { endpoint } = useParams({ from: '/app/endpoints/$endpoint' });

  return <TryIt key={endpoint} endpoint={endpoint} />;
}
