import { isRefusal, type Refusal, refuse, type SessionState } from '@ramet/core';
import type { Configuration } from '../config/index.ts';
import { type Model, openModel, refuseWithoutModel } from '../model/index.ts';
import type { SessionServices, TurnSettings } from './types.ts';

/**
 * Opens the turn's model: `--model`, else the session's last, else `RAMET_MODEL`, else `model` in ramet.json. A
 * session's script is found again by the path it had. A limit on the cost of a model without a price is refused.
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
  const model = await openModel({ name, env, cwd: known.cwd, ...(baseUrl === undefined ? {} : { baseUrl }) });
  if (isRefusal(model) || settings.limits.maxCost === undefined || model.isPriced) return model;
  const message = `no price is known for ${name}, so --max-cost cannot be kept; limit it by --max-tokens or --max-requests`;
  return refuse('bad_usage', message, { model: name });
}

function lastModelOf(state: SessionState): { readonly name: string; readonly baseUrl?: string } | null {
  const model = state.config?.model;
  if (model === undefined) return null;
  if (model.script === undefined) return model;
  return { name: `scripted:${model.script.path}` };
}
