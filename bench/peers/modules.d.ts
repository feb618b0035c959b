/**
 * Of the peers' packages what is used here: they are installed by a benchmark, not where types are checked. Values are
 * loosely typed on purpose; what they are is the packages' own to say.
 */
declare module '@langchain/langgraph' {
  type State = Readonly<Record<string, unknown>>;
  interface Compiled {
    invoke(input: State | null, config: object): Promise<State>;
    updateState(config: object, values: State, asNode?: string): Promise<object>;
    getStateHistory(config: object): AsyncIterable<{ readonly config: object; readonly next: readonly string[] }>;
  }
  interface Channel<Value> {
    readonly reducer: (before: Value, added: Value) => Value;
    readonly default: () => Value;
  }
  export const START: string;
  export const END: string;
  export const Annotation: {
    <Value>(channel?: Channel<Value>): unknown;
    Root(channels: State): object;
  };
  export class StateGraph {
    constructor(annotation: object);
    addNode(name: string, step: (state: State) => Promise<State>): this;
    addEdge(from: string, to: string): this;
    addConditionalEdges(from: string, choose: (state: State) => string): this;
    compile(options: { readonly checkpointer: object }): Compiled;
  }
}

declare module '@langchain/langgraph-checkpoint-sqlite' {
  import type Database from 'better-sqlite3';
  export class SqliteSaver {
    constructor(db: Database);
  }
}

declare module 'better-sqlite3' {
  export default class Database {
    constructor(file: string);
    pragma(source: string, options?: { readonly simple: boolean }): unknown;
    close(): void;
  }
}

declare module '@dbos-inc/dbos-sdk' {
  type Workflow<Args extends readonly unknown[], Value> = (...args: Args) => Promise<Value>;
  interface Handle {
    getResult(): Promise<unknown>;
  }
  export const DBOS: {
    setConfig(config: object): void;
    launch(): Promise<void>;
    shutdown(): Promise<void>;
    registerWorkflow<Args extends readonly unknown[], Value>(
      workflow: Workflow<Args, Value>,
      options: { readonly name: string },
    ): Workflow<Args, Value>;
    runStep<Value>(step: () => Promise<Value>, options: { readonly name: string }): Promise<Value>;
    startWorkflow<Args extends readonly unknown[], Value>(
      workflow: Workflow<Args, Value>,
      options: { readonly workflowID: string },
    ): (...args: Args) => Promise<Handle>;
    forkWorkflow(workflowID: string, startStep: number): Promise<Handle>;
    listWorkflowSteps(workflowID: string): Promise<unknown>;
  };
}

declare module 'pg' {
  export class Client {
    constructor(options: { readonly connectionString: string });
    connect(): Promise<void>;
    end(): Promise<void>;
    query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  }
  const pg: { readonly Client: typeof Client };
  export default pg;
}
