import { describe, expect, it } from 'vitest';
import { completionsOf, parseTyped } from '../../src/session/commands.ts';

describe('what is typed into the composer', () => {
  it('is a message unless it begins with the name of a command', () => {
    expect(parseTyped('fix it\n')).toEqual({ kind: 'message', text: 'fix it' });
    expect(parseTyped('/usr/bin/env is missing')).toEqual({ kind: 'message', text: '/usr/bin/env is missing' });
    expect(parseTyped(' /fork is what I want')).toEqual({ kind: 'message', text: '/fork is what I want' });
    expect(parseTyped(' \n ')).toEqual({ kind: 'nothing' });
  });

  it('is a command with what it takes', () => {
    expect(parseTyped('/fork')).toEqual({ kind: 'command', name: 'fork', argument: '' });
    expect(parseTyped('/title  A better one ')).toEqual({ kind: 'command', name: 'title', argument: 'A better one' });
  });

  it('is neither sent nor done when the command is unknown or lacks what it takes', () => {
    expect(parseTyped('/frok')).toMatchObject({ kind: 'problem' });
    expect(parseTyped('/constructor')).toMatchObject({ kind: 'problem' });
    expect(parseTyped('/title ')).toMatchObject({ kind: 'problem' });
  });
});

describe('completions', () => {
  it('are the commands that begin so, until one is complete', () => {
    expect(completionsOf('/')).toEqual(['fork', 'title', 'interrupt', 'compare', 'help']);
    expect(completionsOf('/f')).toEqual(['fork']);
    expect(completionsOf('/fork ')).toEqual([]);
    expect(completionsOf('text /f')).toEqual([]);
  });
});
