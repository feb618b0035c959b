/** Captures once in a process of its own, to be killed. Argument: JSON with project and path. */
import { join } from 'node:path';
import { captureCheckpoint } from '../../../src/workspace/checkpoint/index.ts';
import { makePlainSandbox, makeRequest } from './requests.ts';

const { project, path } = JSON.parse(process.argv[2] ?? '');
const privateFolder = join(path, '..', 'private');
await captureCheckpoint(makeRequest({ project, path, privateFolder, sandbox: makePlainSandbox(path, 'bubblewrap') }));
