/** A mail server for tests: what it sends goes into a file, a line each. */
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Makes the server; `outbox` is the file. */
export function makeMailServer(outbox: string): McpServer {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  const letter = { to: z.string(), text: z.string().optional(), stamp: z.string().optional() };
  const keep = (line: unknown): void => appendFileSync(outbox, `${JSON.stringify(line)}\n`);
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  server.registerTool('send', { description: 'Send a letter', inputSchema: z.object(letter) }, (input) => {
    keep(input);
    const structuredContent = { receipt: `r-${input.to}` };
    return { ...text(JSON.stringify(structuredContent)), structuredContent };
  });
  const hints = { annotations: { readOnlyHint: true } };
  server.registerTool('look', { ...hints, inputSchema: z.object({}) }, () => text('nothing'));
  const same = { annotations: { idempotentHint: true } };
  server.registerTool('put', { ...same, inputSchema: z.object(letter) }, (input, { mcpReq }) => {
    keep({ ...input, meta: mcpReq._meta ?? null });
    return text('put');
  });
  server.registerTool('fail', { inputSchema: z.object({}) }, () => ({ ...text('no such box'), isError: true }));
  server.registerTool('throw', { inputSchema: z.object({}) }, () => {
    throw new Error('a bug of the server');
  });
  server.registerTool('big', { inputSchema: z.object({}) }, () => text(`start${'x'.repeat(5_000_000)}end`));
  server.registerTool('picture', { inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'text', text: 'see' },
      { type: 'image', data: Buffer.from('pixels').toString('base64'), mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'words' } },
      { type: 'resource_link', uri: 'file:///b', name: 'b' },
    ],
  }));
  server.registerTool('env', { inputSchema: z.object({}) }, () => ({
    content: [],
    structuredContent: { env: { ...process.env }, cwd: process.cwd(), pid: process.pid },
  }));
  server.registerTool('progress', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 1, message: 'half way' };
      await mcpReq.notify({ method: 'notifications/progress', params });
      // Once this is answered, the progress was taken.
      await mcpReq.send({ method: 'ping' });
    }
    return text('done');
  });
  server.registerTool('hang', { inputSchema: z.object(letter) }, (input, { mcpReq }) => {
    keep(input);
    return new Promise((resolve) => {
      mcpReq.signal.addEventListener('abort', () => {
        keep({ cancelled: true });
        resolve(text('cancelled'));
      });
    });
  });
  server.registerTool('die', { inputSchema: z.object(letter) }, (input) => {
    keep(input);
    process.stderr.write('out of stamps\n');
    process.exit(3);
  });
  return server;
}
