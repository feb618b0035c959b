/** What a person reads when there is no model to talk to: where was looked, a local way, a way without any model. */
import { type Refusal, refuse } from '@ramet/core';

const LOCAL_ENDPOINT =
  'a local endpoint needs no key: --model openai-compatible/<name> --base-url http://localhost:11434/v1';
const DEMO =
  'without any model: --model scripted:<file>, with replies such as [{"text":"hello"}]; in a checkout of Ramet: npm run demo';

/** No model was named anywhere. */
export function refuseWithoutModel(): Refusal {
  const places = ['--model', "the session's last model", 'RAMET_MODEL', '"model" in ramet.json'];
  const looked = `no model: looked at ${places.slice(0, -1).join(', ')} and ${places.at(-1)}`;
  return refuse('no_model', [looked, LOCAL_ENDPOINT, DEMO].join('\n'), { places });
}

/** A model was named, but none of its key variables is set. */
export function refuseWithoutKey(model: string, variables: readonly string[]): Refusal {
  const looked = `no key for ${model}: looked for ${variables.join(' and ')} in the environment`;
  return refuse('no_key', [looked, LOCAL_ENDPOINT, DEMO].join('\n'), { model, variables: [...variables] });
}
