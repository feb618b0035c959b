import { Empty } from '../ui/states.tsx';

export function InboxPage() {
  return <Empty title="InboxPage" />;
}
