/**
 * A server's result as a model and the log get it.
 *
 * 1. At most `limitBytes` of text, well-formed; what is cut is said where it was.
 * 2. What cannot be shown (images, audio, bytes) is named, not dropped unseen.
 * 3. Structured content stays structured where it says all there is.
 */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { canonicalJson, type ToolOutput } from '@ramet/core';
import { isDeeperThan } from '../tools/depth.ts';
import { renderOutput, shrinkOutput } from '../tools/text.ts';

const MAX_DEPTH = 100;

/** Renders a result. */
export function renderResult(result: CallToolResult, limitBytes: number): ToolOutput {
  const { content, structuredContent, isError } = result;
  const texts = content.map(renderBlock);
  if (structuredContent === undefined) return makeText(texts, isError, limitBytes);
  if (isDeeperThan(structuredContent, MAX_DEPTH)) {
    return makeText(
      [...texts, `[structured content deeper than ${MAX_DEPTH} levels is left out]`],
      isError,
      limitBytes,
    );
  }
  const json = JSON.stringify(structuredContent);
  const others = content.filter((block) => !repeats(block, structuredContent)).map(renderBlock);
  if (others.length > 0 || Buffer.byteLength(json) > limitBytes)
    return makeText([...others, json], isError, limitBytes);
  return { type: isError === true ? 'error-json' : 'json', value: structuredContent };
}

function makeText(texts: readonly string[], isError: boolean | undefined, limitBytes: number): ToolOutput {
  const bytes = Buffer.from(texts.join('\n').toWellFormed(), 'utf8');
  const cut = shrinkOutput({ head: bytes, tail: new Uint8Array(0), dropped: 0 }, limitBytes);
  return { type: isError === true ? 'error-text' : 'text', value: renderOutput(cut).text };
}

/** Servers repeat structured content as text, for programs that read no other. */
function repeats(block: ContentBlock, structured: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    const value: unknown = JSON.parse(block.text);
    return !isDeeperThan(value, MAX_DEPTH) && canonicalJson(value) === canonicalJson(structured);
  } catch {
    return false;
  }
}

function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} (${block.mimeType}, ${countBytes(block.data)} bytes) left out: it cannot be shown]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      const kind = resource.mimeType ?? 'bytes';
      return `[resource ${resource.uri} (${kind}, ${countBytes(resource.blob)} bytes) left out: it cannot be shown]`;
    }
  }
}

function countBytes(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
