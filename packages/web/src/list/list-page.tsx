import { Empty } from '../ui/states.tsx';

export function ListPage() {
  return <Empty title="ListPage" />;
}
