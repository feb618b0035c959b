import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/codes/index.ts';
import { type ExpressionScope, evaluateCondition, evaluateExpression, evaluateList } from '../../../src/graph/index.ts';
import { scopeOf } from './scope.ts';

const INPUT: unknown = JSON.parse(`{
  "n": 5, "half": 1.5, "text": "hi", "list": [1, 2, 3], "none": null, "yes": true,
  "deep": {"rows": [{"id": 1}, {"id": "x"}]}, "constructor": 1, "__proto__": {"x": 2}, "size": "own"
}`);

function evaluated(text: string, scope: ExpressionScope = scopeOf(INPUT)): unknown {
  return evaluateExpression(text, scope);
}

/** Why an expression has no value. */
function reasonOf(text: string, scope: ExpressionScope = scopeOf(INPUT)): unknown {
  try {
    evaluateExpression(text, scope);
  } catch (error) {
    if (error instanceof Failure && error.code === 'expression_failed') return error.data.reason;
    throw error;
  }
  return 'it has one';
}

describe('numbers', () => {
  it.each([
    ['input.n + 1', 6],
    ['input.n / 2', 2],
    ['input.n % 2 == 1', true],
    ['input.n / 2.0', 2.5],
    ['input.n + input.half', 6.5],
    ['input.half - input.n', -3.5],
    ['input.half * 2', 3],
    ['input.n == 5.0', true],
    ['input.n > 4.5 && input.half < 2', true],
    ['input.list[input.n - 4]', 2],
    ['string(input.n) + string(input.half)', '51.5'],
    ['2 - (3 - 4)', 3],
    ['-(-3)', 3],
    ['12 / (6 / 2)', 4],
    ['0.1 + 0.2', 0.30000000000000004],
    ['1e21', 1e21],
    ['5.0', 5],
    ['-0.0', 0],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s is %j', (text, value) => {
    expect(evaluated(text)).toBe(value);
  });

  it.each([
    ['9007199254740991 + 1', 'the integer 9007199254740992 is not exact in JSON (2^53 is)'],
    ['9223372036854775807 + 1', 'integer overflow: 9223372036854775808'],
    ['1.0 / 0.0', 'Infinity is no number of JSON'],
    ['1 / 0', 'division by zero'],
    ['input.text + input.n', 'no such overload: dyn<string> + dyn<int>'],
  ])('%s has no value, and says why', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it('count as doubles where they are not exact', () => {
    expect(evaluated('input + 0.0', scopeOf(2 ** 60))).toBe(2 ** 60);
  });
});

describe('values', () => {
  it.each([
    ['input.constructor', 1],
    ['input.__proto__.x', 2],
    ['input.size', 'own'],
    ['has(input.constructor)', true],
    ['has(input.toString)', false],
    ['has(input.deep.rows)', true],
    ['"toString" in input', false],
    ['"__proto__" in input', true],
    ['size(input)', 10],
    ['input.deep == {"rows": [{"id": 1}, {"id": "x"}]}', true],
    ['input.deep.rows[0] == {"id": 1.0}', true],
    ['input.deep == input.list', false],
    ['input.none == null && input.text != null && input.deep != null', true],
    ['input.deep.rows.exists(row, row.id == "x")', true],
    ['input.deep.rows.map(row, row.id)', [1, 'x']],
    ['input.list.filter(x, x > 1)', [2, 3]],
    ['input.list.map(x, x > 1, {"x": x})', [{ x: 2 }, { x: 3 }]],
    ['input.deep.map(key, key)', ['rows']],
    ['input.list + [4]', [1, 2, 3, 4]],
    ['input.text.split("")', ['h', 'i']],
    ['input.text.matches("^h.$") && !input.text.matches("[A-Z]")', true],
    ['input.list.filter(x, string(x).matches("[23]"))', [2, 3]],
    ['{"a": {"b": input.list}}', { a: { b: [1, 2, 3] } }],
    ['[1, "a", null]', [1, 'a', null]],
  ])('%s is %j', (text, value) => {
    expect(evaluated(text)).toEqual(value);
  });

  it('reads nothing that a prototype has', () => {
    for (const name of ['toString', 'hasOwnProperty', 'valueOf'])
      expect(reasonOf(`input.${name}`)).toBe(`No such key: ${name}`);
    expect(reasonOf('input.list.length')).toBe('No such key: length');
  });

  it('gives back the same object where it only passes through', () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id }));
    const scope = scopeOf(null, { a: { rows } });
    expect(evaluated('nodes.a.output.rows', scope)).toBe(rows);
    expect(evaluated('[nodes.a.output.rows[9]]', scope)).toEqual([{ id: 9 }]);
    expect((evaluated('[nodes.a.output.rows[9]]', scope) as unknown[])[0]).toBe(rows[9]);
  });

  it('looks at no item of a list twice, however often the list is asked for', () => {
    let reads = 0;
    const counted = new Proxy(
      Array.from({ length: 10_000 }, () => 'x'),
      {
        get: (list, key) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
          return Reflect.get(list, key) as unknown;
        },
      },
    );
    for (let index = 0; index < 100; index += 1) evaluated(`input[${index}]`, scopeOf(counted));
    expect(reads).toBe(10_000);
  });

  it('leaves a field alone that no expression names', () => {
    const input = Object.defineProperty({ a: 1 }, 'b', {
      enumerable: true,
      get: () => {
        throw new Error('looked at');
      },
    });
    expect(evaluated('input.a', scopeOf(input))).toBe(1);
  });

  it('cuts no character in two', () => {
    expect(evaluated('input.substring(0, 1)', scopeOf('\u{1F600}'))).toBe('\uFFFD');
  });

  it('refuses lists in lists without end', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(reasonOf('input == 1', scopeOf(deep))).toBe('a value is nested deeper than 64');
  });

  it('is any JSON value, unchanged, when it is only named', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(evaluated('input', scopeOf(plain))).toEqual(plain);
        expect(evaluated('[input][0]', scopeOf(plain))).toEqual(plain);
      }),
    );
  });
});

describe('what an expression sees', () => {
  it('is the output of nodes, null of a skipped one', () => {
    const scope = scopeOf(null, { a: { x: 1 }, 'b-c': 2, skipped: null, __proto__2: 3 });
    expect(evaluated('nodes.a.output.x', scope)).toBe(1);
    expect(evaluated('nodes["b-c"].output', scope)).toBe(2);
    expect(evaluated('nodes.skipped.output == null', scope)).toBe(true);
    expect(evaluated('has(nodes.skipped.output.x)', scope)).toBe(false);
    expect(evaluated('has(nodes.a.output.x) && !has(nodes.a.output.y)', scope)).toBe(true);
    expect(reasonOf('nodes.b.output', scope)).toBe("node 'b' was not entered");
  });

  it('asks only for the nodes it comes to', () => {
    const asked: string[] = [];
    const node = (id: string) => {
      asked.push(id);
      return { input: null, output: true };
    };
    expect(evaluated('nodes.a.output || nodes.b.output', { input: null, locals: {}, node })).toBe(true);
    expect(asked).toEqual(['a']);
  });

  it('may itself come from expressions, also from the same one', () => {
    const text = '[1, 2].map(x, item + x)';
    const outer = scopeOf(null, {}, { item: 100 });
    const inner: ExpressionScope = {
      ...outer,
      get locals() {
        return { item: (evaluateExpression(text, outer) as number[])[0] };
      },
    };
    expect(evaluateExpression(text, inner)).toEqual([102, 103]);
  });

  it('is never there when the scope fails, also where another side decides', () => {
    const node = () => {
      throw new Failure('replay_diverged', 'other items');
    };
    const scope = { input: null, locals: {}, node };
    expect(() => evaluateExpression('nodes.a.output || true', scope)).toThrow(
      expect.objectContaining({ code: 'replay_diverged' }),
    );
  });

  it('is the locals of its place, and of a walk its item', () => {
    const scope = scopeOf([1], {}, { item: 'it', index: 3 });
    expect(evaluated('[item, index]', scope)).toEqual(['it', 3]);
    expect(evaluated('input.map(item, item)', scope)).toEqual([1]);
    expect(reasonOf('pass', scope)).toBe('Unknown variable: pass');
  });

  it('has a condition that is true or false, and a list that is one', () => {
    expect(evaluateCondition('input.yes', scopeOf(INPUT))).toBe(true);
    expect(() => evaluateCondition('input.n', scopeOf(INPUT))).toThrow('it must be true or false, and is a number');
    expect(evaluateList('input.list', scopeOf(INPUT))).toEqual([1, 2, 3]);
    expect(() => evaluateList('input.none', scopeOf(INPUT))).toThrow('it must be a list, and is null');
  });
});

describe('refuses', () => {
  it.each([
    ['now()', "unknown function 'now'"],
    ['timestamp("2024-01-01T00:00:00Z")', "unknown function 'timestamp'"],
    ['duration("1s")', "unknown function 'duration'"],
    ['input.text.getHours()', "unknown function 'getHours'"],
    ['google.protobuf.Timestamp', "unknown name 'google'"],
    ['cel.bind(x, 1, x)', "unknown function 'bind'"],
    ['type(1)', "unknown function 'type'"],
    ['bytes("a")', "unknown function 'bytes'"],
    ['b"a"', 'bytes and unsigned numbers are no values of JSON'],
    ['1u', 'bytes and unsigned numbers are no values of JSON'],
    ['"aab".matches("(a+)\\\\1")', "the pattern of 'matches': '\\1' is not part of these patterns, at character 6"],
    ['"a".matches(input.text)', "'matches' takes a pattern that is written in it, like text.matches('^[a-z]+$')"],
    ['matched(1, "a", 0)', "unknown function 'matched'"],
    ['{"constructor": 1}', "'constructor' cannot be a key in an expression"],
    ['{input.text: 1}', 'keys of an object are texts that are written in it, like {"a": 1}'],
    ['inptu', "unknown name 'inptu'; did you mean 'input'?"],
    ['input.list.mapp(x, x)', "unknown function 'mapp'; did you mean 'map'?"],
    ['input.list.map(_0, _0)', "the name of an item does not begin with '_': '_0'"],
    ['_budget', "unknown name '_budget'"],
    ['bounded(1, 2, 3)', "unknown function 'bounded'"],
    ['nodes', "nodes are read as 'nodes.<id>.output' or 'nodes.<id>.input'"],
    ['nodes[input.text].output', 'which node an expression reads must be written in it'],
    ['nodes.a.ouput', "a node has 'input' and 'output', not 'ouput'; did you mean 'output'?"],
    ['has(nodes.a.output)', 'has() takes a field of a value, by dots, like has(input.a.b)'],
    ['1 +', 'Unexpected token: EOF, at character 4'],
    ['', 'the expression is empty'],
    ['true ? 1 : "a"', "Ternary branches must have the same type, got 'int' and 'string'"],
  ])('%s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it('what is too long, too large or too deep', () => {
    expect(reasonOf('1'.repeat(5000))).toBe('the expression is longer than 4000 characters');
    expect(reasonOf(`${'!'.repeat(3000)}true`)).toMatch(/^Exceeded maxAstNodes/);
    expect(reasonOf('('.repeat(3000))).toMatch(/^Exceeded maxDepth/);
    expect(reasonOf(Array(300).fill('1').join(' + '))).toBe('the expression is nested too deep');
  });

  it('more work than the bound, also where an error would be overlooked', () => {
    const scope = scopeOf(Array.from({ length: 10_000 }, (_, index) => index));
    const reason = expect.stringMatching(/^it does too much work/);
    expect(reasonOf('input.all(a, input.all(b, input.all(c, a + b + c >= 0)))', scope)).toEqual(reason);
    expect(reasonOf('true || input.all(a, input.all(b, a >= 0))', scope)).toBe('it has one');
    expect(reasonOf('input.all(a, input.all(b, a >= 0)) || true', scope)).toEqual(reason);
    expect(evaluated('input.map(a, a * 2)[9999]', scope)).toBe(19_998);
    const long = scopeOf('a'.repeat(300_000));
    expect(evaluated('input.matches("(a+)+$")', long)).toBe(true);
    expect(reasonOf('[1, 2, 3, 4, 5, 6, 7].all(x, input.matches("(a|aa)+b") || true)', long)).toEqual(reason);
  });

  it.each([
    ['a list of lists that doubles', `[1]${'.map(a, [a, a])'.repeat(60)}`],
    ['a text that doubles', `["ab"]${'.map(a, a + a)'.repeat(60)}`],
    ['a list that doubles', `[[1]]${'.map(a, a + a)'.repeat(60)}`],
    ['lists that double, compared', `[1]${'.map(a, [a, a])'.repeat(40)} == [1]${'.map(a, [a, a])'.repeat(40)}`],
    ['each item looked for among all', 'input.list.filter(x, x in input.list)'],
    ['a list compared for each item', 'input.list.filter(x, input.list == input.other)'],
    ['a text searched for each item', 'input.list.filter(x, input.text.contains("b"))'],
    ['a text searched for a long one', 'input.text.contains(input.text.substring(1))'],
    ['a text cut for each item', 'input.list.map(x, input.text.split(""))'],
    ['a text joined for each item', 'input.list.map(x, input.list.map(y, "a").join(""))'],
    ['a text repeated for each item', 'input.list.map(x, input.text)'],
    ['a long number', 'int(input.digits)'],
  ])('%s', (_, text) => {
    const list = Array.from({ length: 10_000 }, (_, index) => index);
    const scope = scopeOf({ list, other: [...list], text: 'a'.repeat(300_000), digits: '1'.repeat(300_000) });
    expect(reasonOf(text, scope)).toMatch(/^it does too much work/);
  });
});
