/** `${NAME}` in what a configuration hands to a server: the value of a variable of the person's environment. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The values with each `${NAME}` replaced, or the name of a variable that is not set. */
export function expandVariables(
  values: Readonly<Record<string, string>>,
  env: Environment,
): { readonly values: Record<string, string> } | { readonly missing: string } {
  const missing: string[] = [];
  const expanded = Object.entries(values).map(([name, value]) => {
    const text = value.replaceAll(REFERENCE, (_, variable: string) => {
      if (env[variable] === undefined) missing.push(variable);
      return env[variable] ?? '';
    });
    return [name, text] as const;
  });
  const [first] = missing;
  return first === undefined ? { values: Object.fromEntries(expanded) } : { missing: first };
}
