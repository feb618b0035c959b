/** Files whose content a filter program of the person makes (LFS): we run none, so a checkout has what git stores. */
import { type GitPlace, git, joinNul, type PersonConfig, splitNul } from '../git/index.ts';

/** The paths among these that the person's own checkout would pass through a program. */
export async function findFiltered(place: GitPlace, config: PersonConfig, paths: readonly Buffer[]): Promise<Buffer[]> {
  const drivers = new Set(
    [...config.keys()].flatMap((key) => /^filter\.(.*)\.(?:smudge|process)$/s.exec(key)?.slice(1, 2) ?? []),
  );
  if (drivers.size === 0 || paths.length === 0) return [];
  const { stdout } = await git({ ...place, args: ['check-attr', '-z', '--stdin', 'filter'], stdin: joinNul(paths) });
  const fields = splitNul(stdout);
  const filtered: Buffer[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, value] = [fields[at], fields[at + 2]];
    if (path !== undefined && value !== undefined && drivers.has(value.toString())) filtered.push(path);
  }
  return filtered;
}
