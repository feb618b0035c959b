import { Bot, CircleDashed, DoorOpen, GitBranch, Layers, type LucideIcon, RefreshCw, Wrench } from 'lucide-react';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  agent: Bot,
  tool: Wrench,
  gate: DoorOpen,
  branch: GitBranch,
  map: Layers,
  fold: RefreshCw,
};

/** The picture of a kind of node; its word stands beside it or in what names it. */
export function KindIcon({ kind, size = 14 }: { readonly kind: string | null; readonly size?: number }) {
  const Icon = ICONS[kind ?? ''] ?? CircleDashed;
  return <Icon aria-hidden size={size} className="shrink-0 text-muted" />;
}
