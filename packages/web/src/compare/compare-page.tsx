import { Empty } from '../ui/states.tsx';

export function ComparePage() {
  return <Empty title="ComparePage" />;
}
