import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** Cuts the log of a run after so many events; event 0 is alone in its segment. */
export function cutRunLog(folder: string, events: number): void {
  const [first, segment, ...rest] = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  if (first === undefined || segment === undefined || rest.length > 0) throw new Error('the log has not two segments');
  rmSync(join(folder, segment.replace('.jsonl', '.idx')), { force: true });
  const path = join(folder, segment);
  const lines = readFileSync(path, 'latin1').split('\n');
  truncateSync(
    path,
    lines.slice(0, events - 1).reduce((sum, line) => sum + line.length + 1, 0),
  );
}
