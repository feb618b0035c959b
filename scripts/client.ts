// Writes packages/client/src/generated.ts from the OpenAPI document; with `--check`, says whether it is in step.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDocument } from '@ramet/server/contract';
import { type ApiDocument, renderClient } from './client/render-client.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'packages/client/src/generated.ts');
const text = renderClient(makeDocument('') as ApiDocument);

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write('packages/client/src/generated.ts is not what the OpenAPI document says: npm run client\n');
  process.exitCode = 1;
}
