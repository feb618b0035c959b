export { body, type EdgeOf, graph } from './document.ts';
export { agent, branch, exec, fold, gate, map, tool } from './nodes.ts';
