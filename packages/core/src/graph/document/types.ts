/**
 * A graph document: what a run walks. Written by a person, checked as a whole (`validateGraph`), named by the SHA-256 of
 * its canonical JSON. `docs/graphs.md` says what each part means.
 */
import type { Effect } from '../../events/index.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A JSON value whose strings may hold `${{ CEL }}`: a string that is one expression has its value, others its text. */
export type Template = unknown;

export interface GraphDocument {
  /** Of this format. */
  readonly schema: 1;
  readonly name?: string;
  readonly description?: string;
  /** What the run's input must be; absent: anything. */
  readonly input?: JsonSchema;
  readonly nodes: Readonly<Record<string, GraphNode>>;
  readonly edges?: readonly GraphEdge[];
  /** Absent: the output of the last node, or of every node without an outgoing edge, by id. */
  readonly output?: Template;
  readonly limits?: GraphLimits;
}

/** A graph inside a node: what a map does with each item, a fold in each pass. */
export type GraphBody = Pick<GraphDocument, 'nodes' | 'edges' | 'output'>;

/** `to` waits for `from`. From a branch, `on` names the way this edge belongs to. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly on?: string;
}

/** A run that reaches one of these fails with `limit_reached`. */
export interface GraphLimits {
  /** Nodes entered, tries and items and passes each counted. */
  readonly maxSteps?: number;
  /** Input and output together, of the run's own usage. */
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
}

export interface RetryPolicy {
  /** How often a node is tried in all, from 1. */
  readonly attempts: number;
  /** Wait before the second attempt; each later wait is `factor` times the one before, up to `maxDelayMs`. */
  readonly delayMs?: number;
  readonly factor?: number;
  readonly maxDelayMs?: number;
}

interface NodeBase {
  readonly description?: string;
  /** Absent: the run's input at the start, the output of the one node before, or of all nodes before, by id. */
  readonly input?: Template;
  readonly retry?: RetryPolicy;
  readonly timeoutMs?: number;
}

/** A model with tools, in turns like a session's. */
export interface AgentNode extends NodeBase {
  readonly kind: 'agent';
  /** Absent: the run's. */
  readonly model?: string;
  readonly instructions?: string;
  /** What the agent is told; absent: the node's input, as text. */
  readonly prompt?: Template;
  /** Names of tools it may use; absent: none. `*` is every built-in one. */
  readonly tools?: readonly string[];
  /** What its answer must be, as JSON; absent: its output is its text. */
  readonly output?: JsonSchema;
  /** `run`: the run's workspace, held alone. `own`: its own copy, cut from the run's as the node is entered. */
  readonly workspace?: 'run' | 'own' | 'none';
  readonly maxRequests?: number;
}

/** One call, chosen by the document: `tool` or `exec`. */
export interface ToolNode extends NodeBase {
  readonly kind: 'tool';
  /** A built-in tool, `mcp__<server>__<tool>`, or a function that a library user registered. */
  readonly tool?: string;
  readonly exec?: ExecCommand;
  /** Of `exec` (default `write`) and of functions; of other tools it may only be stricter than their own. */
  readonly effect?: Effect;
  /** Fields of the input that say nothing about which write it is (a time, a trace id). */
  readonly volatile?: readonly string[];
  readonly workspace?: 'run' | 'own' | 'none';
}

/** A program: the node's input as JSON on stdin, JSON on stdout. */
export interface ExecCommand {
  /** A text is run by `sh -c`. */
  readonly command: string | readonly string[];
  /** False: on the host, with the person's own rights. */
  readonly sandbox?: boolean;
  /** Hosts it may reach from the sandbox. */
  readonly allowNet?: readonly string[];
}

/** A person's answer; it is the node's output. */
export interface GateNode extends NodeBase {
  readonly kind: 'gate';
  readonly question: Template;
  /** What the answer must be; absent: `{"type": "boolean"}`. */
  readonly answer?: JsonSchema;
}

/** Takes one way: the first case whose condition holds, or a model's choice. Its output is `{take}`. */
export interface BranchNode extends NodeBase {
  readonly kind: 'branch';
  readonly cases?: readonly { readonly when: string; readonly take: string }[];
  /** The way when no case holds; absent: then no way is taken. */
  readonly otherwise?: string;
  /** A model chooses: what each way means, by its name. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly question?: Template;
  readonly model?: string;
  /** Ways that lead nowhere, on purpose: every other way has an edge. */
  readonly ends?: readonly string[];
}

/** A body for each item of a list; the output is the list of the body's outputs, in the order of the items. */
export interface MapNode extends NodeBase {
  readonly kind: 'map';
  /** CEL; a list. */
  readonly over: string;
  /** Items at work at one time, from 1; absent: 1. */
  readonly concurrency?: number;
  /** `collect`: a failed item stands in the output as `{error}`. Absent: the first failure fails the node. */
  readonly onFailure?: 'fail' | 'collect';
  readonly body: GraphBody;
}

/** A body again and again, each pass given the output of the one before, until a condition holds. */
export interface FoldNode extends NodeBase {
  readonly kind: 'fold';
  /** What the first pass finds as `previous`; absent: the node's input. */
  readonly initial?: Template;
  /** CEL, true or false, after each pass; sees its `output` and `pass`. */
  readonly until: string;
  /** From 1. */
  readonly maxPasses: number;
  /** At `maxPasses`: `fail` (the default) fails the node, `finish` takes what there is. */
  readonly onBound?: 'fail' | 'finish';
  /** The output: that of the last pass (the default), or all of them. */
  readonly join?: 'last' | 'list';
  readonly body: GraphBody;
}

export type GraphNode = AgentNode | ToolNode | GateNode | BranchNode | MapNode | FoldNode;
export type NodeKind = GraphNode['kind'];

/** One thing wrong with a document. */
export interface GraphProblem {
  /** Where, as a JSON Pointer (RFC 6901) into the document. */
  readonly at: string;
  readonly message: string;
}
