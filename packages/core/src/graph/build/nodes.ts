/** Nodes of graph documents, for people who write them in TypeScript. Each answers the plain JSON and checks nothing. */
import type {
  AgentNode,
  BranchNode,
  ExecCommand,
  FoldNode,
  GateNode,
  GraphBody,
  MapNode,
  Template,
  ToolNode,
} from '../document/types.ts';

type ToolFields = Omit<ToolNode, 'kind' | 'tool' | 'exec'>;
type ExecFields = ToolFields & Omit<ExecCommand, 'command'>;

/** A model with tools. */
export function agent(fields: Omit<AgentNode, 'kind'>): AgentNode {
  return { kind: 'agent', ...fields };
}

/** A call of a tool. */
export function tool(name: string, fields: ToolFields = {}): ToolNode {
  return { kind: 'tool', tool: name, ...fields };
}

/** A program: a text for `sh -c`, or its name and arguments. */
export function exec(command: ExecCommand['command'], fields: ExecFields = {}): ToolNode {
  const { sandbox, allowNet, ...rest } = fields;
  const choices = { ...(sandbox === undefined ? {} : { sandbox }), ...(allowNet === undefined ? {} : { allowNet }) };
  return { kind: 'tool', exec: { command, ...choices }, ...rest };
}

/** A question to a person. */
export function gate(question: Template, fields: Omit<GateNode, 'kind' | 'question'> = {}): GateNode {
  return { kind: 'gate', question, ...fields };
}

/** One of several ways, by conditions (`cases`) or by a model (`choices`). */
export function branch(fields: Omit<BranchNode, 'kind'>): BranchNode {
  return { kind: 'branch', ...fields };
}

/** A body for each item of a list. */
export function map(over: string, body: GraphBody, fields: Omit<MapNode, 'kind' | 'over' | 'body'> = {}): MapNode {
  return { kind: 'map', over, ...fields, body };
}

/** A body again and again, until a condition holds. */
export function fold(body: GraphBody, fields: Omit<FoldNode, 'kind' | 'body'>): FoldNode {
  return { kind: 'fold', ...fields, body };
}
