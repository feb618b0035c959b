/** The fields of a form that a JSON Schema describes. What the schema says is shown as text. */
import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { AreaField, SelectField, TextField } from '../ui/field.tsx';
import { beginDraft, type Draft, draftOf, pathOf } from './draft.ts';
import type { Field, FieldOf } from './field-model.ts';

export interface SchemaFieldProps<F extends Field = Field> {
  readonly field: F;
  readonly label: string;
  readonly draft: Draft;
  readonly path: string;
  readonly isRequired: boolean;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (draft: Draft) => void;
}

/** One field, with those in it. */
export function SchemaField(props: SchemaFieldProps) {
  const { field } = props;
  switch (field.kind) {
    case 'object':
      return <ObjectFields {...props} field={field} />;
    case 'list':
      return <ListField {...props} field={field} />;
    case 'boolean':
      return <YesOrNo {...props} field={field} />;
    case 'choice':
      return <Choice {...props} field={field} />;
    case 'fixed':
      return (
        <p>
          <span className="font-medium text-xs">{nameOf(props)}</span>{' '}
          <span className="told font-mono">{JSON.stringify(field.value)}</span>
        </p>
      );
    case 'number':
      return <NumberField {...props} field={field} />;
    default:
      return <Typed {...props} field={field} />;
  }
}

function Typed(props: SchemaFieldProps<FieldOf<'text' | 'json'>>) {
  const { field, draft, onChange } = props;
  const shared = { ...frameOf(props), value: typeof draft === 'string' ? draft : '' };
  if (field.kind === 'text' && !field.isLong) {
    return <TextField {...shared} maxLength={field.maxLength} onChange={(event) => onChange(event.target.value)} />;
  }
  return (
    <AreaField
      {...shared}
      rows={3}
      className={field.kind === 'json' ? 'font-mono text-xs' : 'min-h-0'}
      spellCheck={field.kind === 'text'}
      placeholder={field.kind === 'json' ? 'JSON' : ''}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function NumberField(props: SchemaFieldProps<FieldOf<'number'>>) {
  const { field, draft, onChange } = props;
  return (
    <TextField
      {...frameOf(props)}
      inputMode={field.isInteger ? 'numeric' : 'decimal'}
      placeholder={rangeOf(field)}
      value={typeof draft === 'string' ? draft : ''}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function rangeOf({ min, max }: FieldOf<'number'>): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (min !== undefined) return `at least ${min}`;
  return max === undefined ? '' : `at most ${max}`;
}

function Choice(props: SchemaFieldProps<FieldOf<'choice'>>) {
  const { field, draft, onChange } = props;
  return (
    <SelectField
      {...frameOf(props)}
      value={typeof draft === 'string' ? draft : ''}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{props.isRequired ? 'choose…' : 'left out'}</option>
      {field.values.map((value, index) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return (
          <option key={text} value={String(index)}>
            {text}
          </option>
        );
      })}
    </SelectField>
  );
}

function YesOrNo(props: SchemaFieldProps<FieldOf<'boolean'>>) {
  const { draft, path, isRequired, onChange } = props;
  const choices = [['true', 'Yes'], ['false', 'No'], ...(isRequired ? [] : [['', 'Left out']])] as const;
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-xs">{nameOf(props)}</legend>
      <div className="flex flex-wrap gap-4">
        {choices.map(([value, text]) => (
          <label key={value} className="flex items-center gap-1.5">
            <input
              type="radio"
              className="size-4 accent-accent"
              name={`field ${path}`}
              checked={(draft ?? '') === value}
              onChange={() => onChange(value === '' ? null : (value ?? null))}
            />
            {text}
          </label>
        ))}
      </div>
      <Said {...props} />
    </fieldset>
  );
}

function ObjectFields(props: SchemaFieldProps<FieldOf<'object'>>) {
  const { field, draft, path, problems, onChange } = props;
  const fields = field.fields.map(({ name, isRequired, field: inner }) => (
    <SchemaField
      key={name}
      field={inner}
      label={name}
      draft={draftOf(draft, name)}
      path={pathOf(path, name)}
      isRequired={isRequired}
      problems={problems}
      onChange={(next) => onChange({ ...entriesOf(draft), [name]: next })}
    />
  ));
  if (path === '') return <div className="space-y-3">{fields}</div>;
  return (
    <fieldset className="space-y-3 rounded border border-line p-3">
      <legend className="px-1 font-medium text-xs">{nameOf(props)}</legend>
      <Said {...props} />
      {fields}
    </fieldset>
  );
}

function entriesOf(draft: Draft): { readonly [name: string]: Draft } {
  return typeof draft === 'object' && draft !== null && !Array.isArray(draft)
    ? (draft as { readonly [name: string]: Draft })
    : {};
}

function ListField(props: SchemaFieldProps<FieldOf<'list'>>) {
  const { field, draft, path, problems, onChange } = props;
  const items: readonly Draft[] = Array.isArray(draft) ? draft : [];
  return (
    <fieldset className="space-y-2 rounded border border-line p-3">
      <legend className="px-1 font-medium text-xs">{nameOf(props)}</legend>
      <Said {...props} />
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is what stands at its place, and its fields hold no state
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <SchemaField
              field={field.item}
              label={String(index + 1)}
              draft={item}
              path={pathOf(path, String(index))}
              isRequired
              problems={problems}
              onChange={(next) => onChange(items.with(index, next))}
            />
          </div>
          <IconButton label={`Take ${index + 1} out`} onClick={() => onChange(items.toSpliced(index, 1))}>
            <Trash2 aria-hidden size={14} />
          </IconButton>
        </div>
      ))}
      <Button className="text-xs" onClick={() => onChange([...items, beginDraft(field.item)])}>
        <Plus aria-hidden size={13} /> Add
      </Button>
    </fieldset>
  );
}

function nameOf({ field, label, isRequired }: SchemaFieldProps): string {
  return `${field.title ?? label}${isRequired ? '' : ' (may be left out)'}`;
}

/** What stands around a control: its name, and what is said about it. */
function frameOf(props: SchemaFieldProps) {
  const { field, path, problems } = props;
  const problem = problems.get(path);
  const isSaid = problem !== undefined || field.description !== undefined;
  return {
    label: nameOf(props),
    'aria-invalid': problem !== undefined,
    ...(isSaid ? { hint: <Said {...props} /> } : {}),
  };
}

function Said({ field, path, problems }: SchemaFieldProps) {
  const problem = problems.get(path);
  return (
    <>
      {field.description !== undefined && <p className="told text-muted text-xs">{field.description}</p>}
      {problem !== undefined && <p className="text-danger text-xs">This {problem}.</p>}
    </>
  );
}
