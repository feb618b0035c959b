import { Empty } from '../ui/states.tsx';

export function RunPage() {
  return <Empty title="RunPage" />;
}
