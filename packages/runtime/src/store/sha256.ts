import { hash } from 'node:crypto';
import type { Digest, Sha256 } from '@ramet/core';

/** SHA-256 by node:crypto, as core wants it. */
export const sha256: Sha256 = (data) => hash('sha256', data, 'hex') as Digest;
