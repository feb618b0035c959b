/** Files whose content a filter program of the person makes (LFS): we run none, so a checkout has what git stores. */
import { type GitPlace, git, joinNul, type PersonConfig, splitNul } from '../git/index.ts';

/** The filters of the person that would change a file on its way out. */
export function readFilterDrivers(config: PersonConfig): ReadonlySet<string> {
  return new Set(
    [...config.keys()].flatMap((key) => /^filter\.(.*)\.(?:smudge|process)$/s.exec(key)?.slice(1, 2) ?? []),
  );
}

/** The paths among these that attributes send through one of these filters. */
export async function findFiltered(
  place: GitPlace,
  drivers: ReadonlySet<string>,
  paths: readonly Buffer[],
): Promise<Buffer[]> {
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
