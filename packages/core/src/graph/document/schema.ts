/**
 * What a graph document looks like, as a JSON Schema: what `ramet graph schema` prints, and what `structure.ts` checks a
 * document against. It says nothing about what a field means for another one: that is in `rules.ts`.
 */
import { EXPRESSION_LIMIT } from '../expression/compile.ts';
import { OPEN } from '../expression/template.ts';
import { GRAPH_LIMITS, ID_PATTERN } from './limits.ts';
import type {
  AgentNode,
  BranchNode,
  ExecCommand,
  FoldNode,
  GateNode,
  GraphBody,
  GraphDocument,
  GraphEdge,
  GraphLimits,
  JsonSchema,
  MapNode,
  RetryPolicy,
  ToolNode,
} from './types.ts';

/** The longest time a timer keeps. */
const MAX_MS = 2_147_483_647;
const TEXT_LIMIT = 1_000_000;

type Fields<T> = { readonly [K in keyof T]-?: JsonSchema };

/** Total at compile time: a field of the type without a schema does not compile. */
function object<T>(required: readonly (keyof T & string)[], properties: Fields<T>): JsonSchema {
  return { type: 'object', required, properties, additionalProperties: false };
}

const say = (description: string, schema: JsonSchema): JsonSchema => ({ description, ...schema });
const text = (description: string, maxLength = TEXT_LIMIT): JsonSchema =>
  say(description, { type: 'string', minLength: 1, maxLength });
const integer = (description: string, minimum: number, maximum: number): JsonSchema =>
  say(description, { type: 'integer', minimum, maximum });
const oneOf = (description: string, ...values: readonly unknown[]): JsonSchema => say(description, { enum: values });
const listOf = (description: string, items: JsonSchema): JsonSchema => say(description, { type: 'array', items });
const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const expression = (description: string): JsonSchema => text(description, EXPRESSION_LIMIT);
/** Anything of JSON. */
const template = (description: string): JsonSchema => ({ description });
const jsonSchema = (description: string): JsonSchema => say(description, { type: 'object' });

const ID: JsonSchema = { type: 'string', pattern: ID_PATTERN };

const base = {
  description: text('What the node is for.'),
  input: template(`The node's input; texts may hold \`${OPEN} CEL }}\`. Absent: what comes before it.`),
  retry: ref('retry'),
  timeoutMs: integer('How long one try may take.', 1, MAX_MS),
};
const kind = (name: string): JsonSchema => ({ const: name });

const agent = object<AgentNode>(['kind'], {
  kind: kind('agent'),
  ...base,
  model: text("`provider/model`. Absent: the run's.", 200),
  instructions: text("The system prompt's part for this node."),
  prompt: template("What the agent is told. Absent: the node's input, as text."),
  tools: listOf('Tools it may use; `*` is every built-in one. Absent: none.', text('A tool.', 200)),
  output: jsonSchema('A JSON Schema of its answer. Absent: the output is its text.'),
  workspace: oneOf("`run`: the run's, held alone. `own`: a copy of it. `none`: none.", 'run', 'own', 'none'),
  maxRequests: integer('Requests to the model in one try.', 1, 100_000),
});

const tool: JsonSchema = {
  ...object<ToolNode>(['kind'], {
    kind: kind('tool'),
    ...base,
    tool: text('A built-in tool, `mcp__<server>__<tool>`, or a registered function.', 200),
    exec: ref('exec'),
    effect: oneOf("What the call does outside; stricter than the tool's own.", 'read', 'idempotent', 'write'),
    volatile: listOf('Fields of the input that do not tell one write from another.', text('A field.', 200)),
    workspace: oneOf("`run`: the run's. `own`: a copy of it. `none`: none.", 'run', 'own', 'none'),
  }),
  oneOf: [{ required: ['tool'] }, { required: ['exec'] }],
};

const exec = object<ExecCommand>(['command'], {
  command: say('A text for `sh -c`, or a program and its arguments.', {
    anyOf: [
      { type: 'string', minLength: 1, maxLength: TEXT_LIMIT },
      { type: 'array', minItems: 1, items: { type: 'string', maxLength: TEXT_LIMIT } },
    ],
  }),
  sandbox: say('False: on the host, with your own rights.', { type: 'boolean' }),
  allowNet: listOf('Hosts it may reach from the sandbox.', text('A host.', 300)),
});

const gate = object<GateNode>(['kind', 'question'], {
  kind: kind('gate'),
  ...base,
  question: template('What a person is asked.'),
  answer: jsonSchema('A JSON Schema of the answer. Absent: true or false.'),
});

const branch: JsonSchema = {
  ...object<BranchNode>(['kind'], {
    kind: kind('branch'),
    ...base,
    cases: say('The first whose condition holds is taken.', {
      type: 'array',
      minItems: 1,
      items: object(['when', 'take'], { when: expression('CEL: true or false.'), take: say('The way.', ID) }),
    }),
    otherwise: say('The way when no case holds. Absent: none.', ID),
    choices: say('A model chooses: what each way means, by its name.', {
      type: 'object',
      minProperties: 1,
      propertyNames: ID,
      additionalProperties: text('What the way means.'),
    }),
    question: template('What the model is asked.'),
    model: text("The model that chooses. Absent: the run's.", 200),
    ends: listOf('Ways that lead nowhere, on purpose.', ID),
  }),
  oneOf: [{ required: ['cases'] }, { required: ['choices'] }],
  dependentRequired: { otherwise: ['cases'], question: ['choices'], model: ['choices'] },
};

const map = object<MapNode>(['kind', 'over', 'body'], {
  kind: kind('map'),
  ...base,
  over: expression('CEL: the list.'),
  concurrency: integer('Items at work at one time. Absent: 1.', 1, 10_000),
  onFailure: oneOf('`collect`: a failed item stands in the output as `{error}`. Absent: `fail`.', 'fail', 'collect'),
  body: ref('body'),
});

const fold = object<FoldNode>(['kind', 'until', 'maxPasses', 'body'], {
  kind: kind('fold'),
  ...base,
  initial: template("`previous` of the first pass. Absent: the node's input."),
  until: expression('CEL: true or false, after each pass; sees its `output` and `pass`.'),
  maxPasses: integer('Passes at most.', 1, 1_000_000),
  onBound: oneOf('At `maxPasses`. Absent: `fail`.', 'fail', 'finish'),
  join: oneOf('The output: of the last pass (absent), or of all.', 'last', 'list'),
  body: ref('body'),
});

const retry = object<RetryPolicy>(['attempts'], {
  attempts: integer('Tries in all.', 1, 1000),
  delayMs: integer('Wait before the second try.', 0, MAX_MS),
  factor: say('Each later wait is this much longer.', { type: 'number', minimum: 1, maximum: 1000 }),
  maxDelayMs: integer('The longest wait.', 0, MAX_MS),
});

const limits = object<GraphLimits>([], {
  maxSteps: integer('Nodes entered; tries, items and passes counted.', 1, Number.MAX_SAFE_INTEGER),
  maxTokens: integer('Tokens in and out.', 1, Number.MAX_SAFE_INTEGER),
  maxCost: say('Cost in US dollars.', { type: 'number', exclusiveMinimum: 0 }),
  maxTimeMs: integer('Time at work.', 1, Number.MAX_SAFE_INTEGER),
});

const edge = object<GraphEdge>(['from', 'to'], {
  from: say('The node that comes first.', ID),
  to: say('The node that waits for it.', ID),
  on: say('Of an edge from a branch: the way it belongs to.', ID),
});

const parts = {
  nodes: say('By id.', {
    type: 'object',
    minProperties: 1,
    maxProperties: GRAPH_LIMITS.nodes,
    propertyNames: ID,
    additionalProperties: ref('node'),
  }),
  edges: listOf('Which node waits for which.', ref('edge')),
  output: template('The output. Absent: that of the last node, or of every last node by id.'),
};

/** The kinds of nodes, by the schema of each. */
export const NODE_SCHEMAS = { agent, tool, gate, branch, map, fold };

/** The JSON Schema (2020-12) of graph documents. */
export const GRAPH_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Ramet graph document',
  ...object<GraphDocument>(['schema', 'nodes'], {
    schema: say('The version of this format.', { const: 1 }),
    name: text('A short name.', 200),
    description: text('What the graph is for.'),
    input: jsonSchema("A JSON Schema of the run's input. Absent: anything."),
    ...parts,
    limits: ref('limits'),
  }),
  $defs: {
    body: object<GraphBody>(['nodes'], parts),
    node: {
      type: 'object',
      required: ['kind'],
      oneOf: Object.keys(NODE_SCHEMAS).map(ref),
    },
    ...NODE_SCHEMAS,
    edge,
    exec,
    retry,
    limits,
  },
};
