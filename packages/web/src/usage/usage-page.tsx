import { Empty } from '../ui/states.tsx';

export function UsagePage() {
  return <Empty title="UsagePage" />;
}
