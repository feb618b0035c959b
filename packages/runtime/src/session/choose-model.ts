import type { Refusal, SessionState } from '@ramet/core';
import type { Configuration } from '../config/index.ts';
import { type Model, openModel, refuseWithoutModel } from '../model/index.ts';
import type { SessionServices, TurnSettings } from './types.ts';

/**
 * Opens the turn's model: `--model`, else the session's last, else `RAMET_MODEL`, else `model` in ramet.json. A
 * session's script is found again by the path it had.
 */
export async function chooseModel(
  services: SessionServices,
  settings: TurnSettings,
  known: { readonly state: SessionState | null; readonly configuration: Configuration; readonly cwd: string },
): Promise<Model | Refusal> {
  const { env } = services;
  const last = known.state === null ? null : lastModelOf(known.state);
  const name = settings.model ?? last?.name ?? env.RAMET_MODEL ?? known.configuration.model;
  if (name === undefined || name === '') return refuseWithoutModel();
  const lastUrl = settings.model === undefined || settings.model === last?.name ? last?.baseUrl : undefined;
  const baseUrl = settings.baseUrl ?? lastUrl;
  return openModel({ name, env, cwd: known.cwd, ...(baseUrl === undefined ? {} : { baseUrl }) });
}

function lastModelOf(state: SessionState): { readonly name: string; readonly baseUrl?: string } | null {
  const model = state.config?.model;
  if (model === undefined) return null;
  if (model.script === undefined) return model;
  return { name: `scripted:${model.script.path}` };
}
