export { type McpTools, type McpToolsRequest, openMcpTools } from './open.ts';
export { isBelow } from './places.ts';
export type { HttpServerConfig, McpServerConfig, StdioServerConfig } from './types.ts';
