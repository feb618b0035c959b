/**
 * Markdown that a model or a person wrote. Loaded when it is first needed.
 *
 * 1. No HTML of it reaches the page, and nothing in it is fetched: an image is a word about an image.
 * 2. Only links that leave the page openly (http, https, mailto) are links, and tell nobody where they were followed.
 */
import { escapeText } from '@ramet/core/text';
import { memo } from 'react';
import Base, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { safeLinkOf } from './safe-link.ts';

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  a: ({ href, children }) => {
    const link = safeLinkOf(href);
    if (link === null) return <span>{children}</span>;
    return (
      <a href={link} target="_blank" rel="noopener noreferrer" title={link}>
        {children}
      </a>
    );
  },
  img: ({ alt, src }) => (
    <span className="text-muted">
      [image{alt ? `: ${alt}` : ''}
      {typeof src === 'string' && safeLinkOf(src) !== null ? `, not loaded from ${src}` : ''}]
    </span>
  ),
  // Wide ones scroll in their own box, also by keys: the page never does.
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <pre tabIndex={0}>{children}</pre>
  ),
};

/** A text with its headings, lists, code and tables. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      <Base remarkPlugins={PLUGINS} components={COMPONENTS}>
        {escapeText(text)}
      </Base>
    </div>
  );
});
