import { Empty } from '../ui/states.tsx';

export function SessionPage() {
  return <Empty title="SessionPage" />;
}
