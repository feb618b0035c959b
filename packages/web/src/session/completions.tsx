import { COMMANDS, type CommandName } from './commands.ts';

export interface CompletionsProps {
  readonly names: readonly CommandName[];
  readonly chosen: number;
  readonly onChoose: (name: CommandName) => void;
}

/** The commands that what was typed may become. */
export function Completions({ names, chosen, onChoose }: CompletionsProps) {
  if (names.length === 0) return null;
  return (
    <ul
      aria-label="Commands"
      className="absolute inset-x-0 bottom-full mb-1 rounded-md border border-line bg-surface p-1 shadow-lg"
    >
      {names.map((name, index) => (
        <li key={name}>
          <button
            type="button"
            tabIndex={-1}
            aria-current={index === chosen}
            className={`flex w-full gap-3 rounded px-2 py-1 text-left ${index === chosen ? 'bg-raised' : ''}`}
            onMouseDown={(event) => {
              event.preventDefault();
              onChoose(name);
            }}
          >
            <span className="w-24 shrink-0 font-mono">/{name}</span>
            <span className="truncate text-muted">{COMMANDS[name].says}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
