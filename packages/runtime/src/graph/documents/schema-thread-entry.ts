/** The entry of a thread that reads schemas and holds values against them, until all is done or it is ended. */
import { openEntry, type ThreadData } from '../../threads/index.ts';
import { loadSchemaWorker, type SchemaTask } from './schema-work.ts';

/** What a thread is started with. */
export interface SchemaThreadData extends ThreadData {
  readonly serves: 'schemas';
  readonly tasks: readonly SchemaTask[];
}

/** Where this module lies. */
export const THREAD_URL = import.meta.url;

const entry = openEntry<SchemaThreadData>('schemas');
if (entry !== null) {
  const { port, data } = entry;
  void loadSchemaWorker().then((work) => {
    for (const task of data.tasks) port.postMessage(work(task));
  });
}
