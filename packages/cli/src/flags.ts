/** The flags of each command, as its route parses them and its work reads them. */
import type { PermissionRule } from '@ramet/runtime/session';

type Rule = Omit<PermissionRule, 'do'>;

interface CommonFlags {
  readonly json?: boolean | undefined;
}

/** Of every command that lets models, agents and programs work. */
export interface WorkFlags extends CommonFlags {
  readonly events?: boolean | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly noSandbox?: boolean | undefined;
  readonly allowNet?: readonly string[] | undefined;
  readonly allow?: readonly Rule[] | undefined;
  readonly ask?: readonly Rule[] | undefined;
  readonly deny?: readonly Rule[] | undefined;
  readonly onAsk?: 'deny' | 'park' | 'fail' | undefined;
  readonly trustProject?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxCost?: number | undefined;
  readonly maxTime?: number | undefined;
}

/** Of every command that makes something to work in. */
interface NewFlags {
  readonly workspace?: 'git' | 'directory' | 'none' | undefined;
  readonly allowDirty?: boolean | undefined;
  readonly title?: string | undefined;
}

export interface RunFlags extends WorkFlags, NewFlags {
  readonly session?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly fork?: string | undefined;
  readonly at?: number | undefined;
  readonly attach?: readonly string[] | undefined;
  readonly forgetRules?: boolean | undefined;
  readonly onAsk: 'deny' | 'park' | 'fail';
  readonly maxRequests?: number | undefined;
}

/** Of every command that goes on with a graph run. */
export interface DriveFlags extends WorkFlags {
  readonly maxSteps?: number | undefined;
}

export interface GraphRunFlags extends DriveFlags, NewFlags {
  readonly input?: string | undefined;
  readonly label?: readonly Label[] | undefined;
}

/** A label as `key=value` names it. */
export interface Label {
  readonly key: string;
  readonly value: string;
}

export type ValidateFlags = CommonFlags;

export type SchemaFlags = CommonFlags;

export interface RunsFlags extends CommonFlags {
  readonly tree?: boolean | undefined;
  readonly limit?: number | undefined;
}

export type ResumeFlags = DriveFlags;

export interface AnswerFlags extends DriveFlags {
  readonly gate?: string | undefined;
  readonly noStart?: boolean | undefined;
}

export interface AbandonFlags extends CommonFlags {
  readonly reason?: string | undefined;
}

/** An output as `node=json` names it; the JSON is not read yet. */
export interface NodeOutput {
  readonly node: string;
  readonly json: string;
}

/** What a fork of a graph run may say besides. */
interface RunForkFlags extends DriveFlags {
  readonly fromNode?: string | undefined;
  readonly visit?: number | undefined;
  readonly item?: number | undefined;
  readonly acknowledgeWrites?: 'all' | readonly number[] | undefined;
  readonly input?: string | undefined;
  readonly output?: readonly NodeOutput[] | undefined;
  readonly graph?: string | undefined;
  readonly noStart?: boolean | undefined;
  readonly asSession?: boolean | undefined;
  readonly node?: string | undefined;
}

export interface ForkFlags extends RunForkFlags {
  readonly at?: number | undefined;
  readonly title?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface SessionsFlags extends CommonFlags {
  readonly tree?: boolean | undefined;
  readonly project?: boolean | undefined;
  readonly limit?: number | undefined;
}

export interface ShowFlags extends CommonFlags {
  readonly turn?: number | undefined;
  readonly node?: string | undefined;
  readonly full?: boolean | undefined;
}

export interface DiffFlags extends CommonFlags {
  readonly stat?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly ignored?: boolean | undefined;
}

export interface ApplyFlags extends CommonFlags {
  readonly branch?: string | undefined;
  readonly toCheckout?: boolean | undefined;
  readonly checkout?: string | undefined;
}

export interface VerifyFlags extends CommonFlags {
  readonly all?: boolean | undefined;
}

export type UsageFlags = CommonFlags;

export interface RemoveFlags extends CommonFlags {
  readonly refs?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface PruneFlags extends CommonFlags {
  readonly refs?: boolean | undefined;
  readonly olderThan?: number | undefined;
  readonly to?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly includeUnsaved?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

export interface GcFlags extends CommonFlags {
  readonly dryRun?: boolean | undefined;
}

export interface LogFlags extends CommonFlags {
  readonly raw?: boolean | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly type?: string | undefined;
}

export type TitleFlags = CommonFlags;

export interface ResolveFlags extends CommonFlags {
  readonly offset: number;
  readonly happened?: boolean | undefined;
  readonly result?: string | undefined;
  readonly didNotHappen?: boolean | undefined;
  readonly retry?: boolean | undefined;
}

export interface TrustFlags extends CommonFlags {
  readonly yes?: boolean | undefined;
}

export interface ServeFlags extends CommonFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly allowRemote?: boolean | undefined;
}

export type DoctorFlags = CommonFlags;

export type VersionFlags = CommonFlags;
