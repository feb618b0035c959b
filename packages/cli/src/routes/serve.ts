import type { ServeFlags } from '../flags.ts';
import { defineCommand, JSON_FLAG } from './define.ts';
import { SWITCH, TEXT } from './kinds.ts';
import { parsePort } from './parse.ts';

export const serveCommand = defineCommand<ServeFlags, []>({
  load: async () => (await import('../commands/serve.ts')).serve,
  parameters: {
    flags: {
      json: JSON_FLAG,
      host: { ...TEXT, brief: 'Address to listen on (127.0.0.1 without it)', placeholder: 'address' },
      port: {
        kind: 'parsed',
        parse: parsePort,
        optional: true,
        brief: 'Port to listen on (18473 without it); 0 takes any free one',
        placeholder: 'n',
      },
      allowRemote: { ...SWITCH, brief: 'Let --host be an address that other machines reach' },
    },
  },
  docs: {
    brief: 'Serve the API and the browser interface',
    text: 'Prints one line when it listens: the address of the browser interface, with a token in it that lets whoever has it act as you. RAMET_TOKEN chooses the token, which is not printed then. Sessions and runs that are begun through it go on without whoever began them; what they ask waits for an answer in the browser, at a terminal, or by the API. Other commands work beside it, and go through it where it is at work in the run they name. Ctrl-C or SIGTERM suspends what is at work, which the next start takes up; a second one ends it at once, as a crash does. Exit codes: 0 ended, 1 usage, 2 failed, 5 another one serves this state folder or has the port.',
    usage: '[--host <address>] [--port <n>] [--allow-remote]',
    examples: [
      'ramet serve',
      'RAMET_TOKEN=$(openssl rand -hex 32) ramet serve --port 8080',
      'ramet serve --json | jq -r .url',
    ],
  },
});
