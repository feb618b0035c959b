/** What the next turns run with: model, limits, and what they may do. */
import type { Limits, Rule } from '@ramet/client';
import { X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import type { TurnSettings } from './draft.ts';

export interface SettingsDialogProps {
  readonly isOpen: boolean;
  /** The model of the last turn. */
  readonly model: string | undefined;
  readonly settings: TurnSettings;
  readonly onClose: () => void;
  readonly onChange: (settings: TurnSettings) => void;
}

interface LimitField {
  readonly name: keyof Limits;
  readonly label: string;
  readonly step: number;
  /** How much of the limit one of what is typed stands for. */
  readonly unit: number;
}

const LIMITS: readonly LimitField[] = [
  { name: 'maxRequests', label: 'Requests to the model', step: 1, unit: 1 },
  { name: 'maxTokens', label: 'Tokens of this session', step: 1, unit: 1 },
  { name: 'maxCost', label: 'Cost of this session', step: 0.01, unit: 1 },
  { name: 'maxTimeMs', label: 'Seconds of one turn', step: 1, unit: 1000 },
];

/** Undefined: as it is without. */
type Change = { readonly [K in keyof TurnSettings]: TurnSettings[K] | undefined };

/** Changes the settings; each change holds at once. */
export function SettingsDialog({ isOpen, model, settings, onClose, onChange }: SettingsDialogProps) {
  const set = (change: Change) => onChange(withoutBlanks({ ...settings, ...change }));
  const { limits = {}, rules = [] } = settings;
  return (
    <Dialog
      title="Settings of the next turns"
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-3 p-4 sm:grid-cols-2">
        <TextField
          label="Model"
          placeholder={model ?? 'the default'}
          hint="Empty: that of the last turn."
          value={settings.model ?? ''}
          onChange={(event) => set({ model: event.target.value.trim() || undefined })}
        />
        <SelectField
          label="When a call needs permission"
          value={settings.onAsk ?? 'wait'}
          onChange={(event) =>
            set({ onAsk: event.target.value === 'wait' ? undefined : (event.target.value as 'deny') })
          }
        >
          <option value="wait">Wait for my answer</option>
          <option value="deny">Deny it and go on</option>
        </SelectField>
        <LimitFields limits={limits} onChange={(next) => set({ limits: next })} />
        <ReachFields settings={settings} onChange={set} />
        <Rules rules={rules} onChange={(next) => set({ rules: next.length === 0 ? undefined : next })} />
      </div>
    </Dialog>
  );
}

interface LimitFieldsProps {
  readonly limits: Limits;
  readonly onChange: (limits: Limits | undefined) => void;
}

function LimitFields({ limits, onChange }: LimitFieldsProps) {
  return LIMITS.map(({ name, label, step, unit }) => (
    <TextField
      key={name}
      label={`Limit: ${label}`}
      type="number"
      min={step}
      step={step}
      placeholder="none"
      value={renderLimit(limits[name], unit)}
      onChange={(event) => onChange(withLimit(limits, name, event.target.valueAsNumber * unit))}
    />
  ));
}

interface ReachFieldsProps {
  readonly settings: TurnSettings;
  readonly onChange: (change: Change) => void;
}

function ReachFields({ settings: { allowNet = [], sandbox }, onChange }: ReachFieldsProps) {
  return (
    <>
      <TextField
        label="Hosts the shell may reach"
        placeholder="none"
        hint="With commas. What reached one is no longer contained."
        defaultValue={allowNet.join(', ')}
        onBlur={(event) => onChange({ allowNet: splitHosts(event.target.value) })}
      />
      <SelectField
        label="Sandbox"
        value={sandbox ?? 'auto'}
        onChange={(event) => onChange({ sandbox: event.target.value === 'none' ? 'none' : undefined })}
      >
        <option value="auto">On</option>
        <option value="none">Off: commands run with your own rights</option>
      </SelectField>
    </>
  );
}

function Rules({
  rules,
  onChange,
}: {
  readonly rules: readonly Rule[];
  readonly onChange: (rules: readonly Rule[]) => void;
}) {
  if (rules.length === 0) return null;
  return (
    <div className="sm:col-span-2">
      <h3 className="mb-1 font-medium text-xs">Rules sent with every message</h3>
      <ul className="divide-y divide-line rounded border border-line">
        {rules.map((rule) => (
          <li key={`${rule.do} ${rule.tool}:${rule.match}`} className="flex items-center gap-2 px-2 py-1">
            <span className="told min-w-0 flex-1 font-mono text-xs">
              {rule.do} {rule.tool}
              {rule.match !== undefined && `: ${rule.match}`}
            </span>
            <IconButton label="Take this rule back" onClick={() => onChange(rules.filter((other) => other !== rule))}>
              <X aria-hidden size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
    </div>
  );
}

function renderLimit(limit: number | undefined, unit: number): number | '' {
  return limit === undefined ? '' : limit / unit;
}

function withLimit(limits: Limits, name: keyof Limits, value: number): Limits | undefined {
  const { [name]: _, ...others } = limits;
  const next = Number.isFinite(value) && value > 0 ? { ...others, [name]: value } : others;
  return Object.keys(next).length === 0 ? undefined : next;
}

function splitHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(/[\s,]+/).filter(Boolean);
  return hosts.length === 0 ? undefined : hosts;
}

function withoutBlanks(settings: Change): TurnSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as TurnSettings;
}
