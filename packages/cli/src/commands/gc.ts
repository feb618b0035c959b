import { isRefusal, type Refusal, refuse } from '@ramet/core/codes';
import { renderBytes, renderColumns, renderCount } from '@ramet/core/text';
import { describeCollection } from '@ramet/runtime/answers';
import { collectGarbage, type GarbageReport, listProjects } from '@ramet/runtime/workspace/gc';
import { readProject } from '@ramet/runtime/workspace/project';
import type { GcFlags } from '../flags.ts';
import type { Action } from '../output/answer.ts';
import { openStore } from '../store.ts';

/** Frees what no session needs any more, project by project. */
export const gc: Action<GcFlags, []> = async (context, flags) => {
  const { home } = openStore(context).layout;
  const dryRun = flags.dryRun === true;
  const projects: GarbageReport[] = [];
  const refusals: Refusal[] = [];
  for (const id of listProjects(home)) {
    const project = await readProject({ stateFolder: home, id });
    const report = isRefusal(project) ? project : await collectGarbage({ home, project, dryRun });
    if (isRefusal(report)) refusals.push(report);
    else projects.push(report);
  }
  const json = describeCollection(dryRun, projects);
  const { bytes } = json;
  const [refusal] = refusals;
  if (refusal !== undefined) {
    const others =
      projects.length === 0
        ? ''
        : `; ${renderCount(projects.length, 'other project')} done, ${renderBytes(bytes)} freed`;
    return refuse(refusal.code, `${refusal.message}${others}`, { ...refusal.data, projects });
  }
  const verb = dryRun ? 'would be freed' : 'freed';
  const total = `${renderCount(projects.length, 'project')}, ${renderBytes(bytes)} ${verb}`;
  const lines = [...renderColumns(projects.map(renderReport)), total];
  return { json, text: lines.map((line) => `${line}\n`).join('') };
};

function renderReport(report: GarbageReport): readonly string[] {
  const { project, runs, checkpoints, bytesBefore, bytesAfter, removed, damaged } = report;
  const held = `${renderCount(runs, 'session')}, ${renderCount(checkpoints, 'checkpoint')}`;
  const broken = damaged.length === 0 ? '' : `; not whole: ${damaged.map((id) => id.slice(0, 12)).join(', ')}`;
  const sizes = `${renderBytes(bytesBefore)} -> ${renderBytes(bytesAfter)}`;
  return [project, held, `${sizes}${removed ? ' (no session left: removed)' : ''}${broken}`];
}
