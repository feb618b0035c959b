/** What each peer's process prints: one JSON document, on standard output alone. */

import { readFileSync } from 'node:fs';
import type { ForkSample } from './workload.ts';

/** Milliseconds a step, the least of several runs of one workflow. */
export interface ChainFigure {
  /** What is durable when a step begins, in a few words. */
  readonly how: string;
  readonly msPerStep: number;
}

/** A fork in the middle of a finished run whose every step answered a text that the run keeps. */
export interface ForkFigure extends ForkSample {
  readonly how: string;
  /** What the source's own run had added. */
  readonly bytesOfSource: number;
  /** Listing the places where one may fork. */
  readonly listMs: number;
}

/** A three-step workflow whose second step writes to a file outside, forked at that step. */
export interface SideEffectFigure {
  /** Lines in the file after the fork and all that follows from it. */
  readonly writes: number;
  /** What stood between the fork and the second write: an error, a question; null: nothing. */
  readonly said: string | null;
}

export interface PeerReport {
  readonly peer: string;
  readonly versions: Readonly<Record<string, string>>;
  /** One write of a kilobyte and its sync, in this process, just before and just after the chains. */
  readonly syncMs: readonly [before: number, after: number];
  readonly chain: readonly ChainFigure[];
  readonly fork: ForkFigure;
  readonly sideEffect: SideEffectFigure;
}

/** What a peer is asked for. */
export interface PeerRequest {
  /** A folder of its own, for its database and its sink. */
  readonly folder: string;
  readonly steps: number;
  readonly rounds: number;
  readonly forks: number;
  /** Of the text that each step of the forked run answers. */
  readonly outputBytes: number;
}

/** Reads the request from the command line. */
export function readRequest(): PeerRequest {
  return JSON.parse(process.argv[2] ?? '') as PeerRequest;
}

/** Prints the report; whatever else a peer logs goes to standard error. */
export function printReport(report: PeerReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** Which versions are installed beside this file. */
export function readVersions(packages: readonly string[]): Readonly<Record<string, string>> {
  const versions = packages.map((name) => {
    const text = readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8');
    return [name, (JSON.parse(text) as { readonly version: string }).version] as const;
  });
  return Object.fromEntries(versions);
}
