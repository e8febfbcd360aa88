// Results of the last crowds: two charts and a table. Runs on one instance and on several are kept apart, and those in
// which an instance crashed or was paused are marked: they tell another story.
import { colour, onSchemeChange } from './palette.js';
import { duration, element, labelled, plural, rate } from './format.js';
import { protection } from './protections.js';

const MOST = 12;
const MISHAPS = { CRASH: 'crashed', PAUSE: 'paused' };

const THINK = 10; // milliseconds, as the form proposes

const mishap = (run) => run.mishaps.map((name) => MISHAPS[name]).sort().join(', ');
const several = (run) => run.instances > 1;
const titleOf = (group) => (several(group[0]) ? 'Several instances' : 'One instance');
// A rate says nothing of another one if the buyers took another time.
const thinking = (run) => (run.request.thinkMillis === THINK ? '' : `think ${run.request.thinkMillis} ms`);
const refusals = (run) => [run.refused > 0 ? `${run.refused} by the fence` : '',
  run.commitsRefused > 0 ? `${run.commitsRefused} at the commit` : ''].filter(Boolean).join(', ');

// Writes over each group of bars what its runs have in common, and draws a line between the groups.
const groupTitles = {
  id: 'groupTitles',
  afterDatasetsDraw({ ctx, chartArea, scales, groups = [] }) {
    ctx.save();
    ctx.font = `600 11px ${Chart.defaults.font.family}`;
    ctx.textAlign = 'center';
    groups.forEach(({ title, from, to }) => {
      ctx.fillStyle = colour('soft');
      ctx.fillText(title, (scales.x.getPixelForValue(from) + scales.x.getPixelForValue(to)) / 2, chartArea.top + 9);
      if (from > 0) {
        ctx.strokeStyle = colour('edge');
        ctx.setLineDash([4, 4]);
        ctx.beginPath();
        ctx.moveTo(scales.x.getPixelForValue(from - 1), chartArea.top);
        ctx.lineTo(scales.x.getPixelForValue(from - 1), chartArea.bottom);
        ctx.stroke();
      }
    });
    ctx.restore();
  },
};

function hatched(name) {
  const canvas = element('canvas', { width: 8, height: 8 });
  const g = canvas.getContext('2d');
  g.globalAlpha = 0.3;
  g.fillStyle = colour(name);
  g.fillRect(0, 0, 8, 8);
  g.globalAlpha = 1;
  g.strokeStyle = colour(name);
  g.lineWidth = 2;
  [-8, 0, 8].forEach((x) => {
    g.beginPath();
    g.moveTo(x - 1, 9);
    g.lineTo(x + 9, -1);
    g.stroke();
  });
  return g.createPattern(canvas, 'repeat');
}

export class Runs {
  constructor(rateCanvas, soldCanvas, table) {
    this.table = table;
    this.results = [];
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    this.rateChart = this.chart(rateCanvas, 'Purchases per second', [{ label: 'purchases per second' }], false);
    this.soldChart = this.chart(soldCanvas, 'Items sold', [{ label: 'from stock' }, { label: 'oversold' }], true);
    onSchemeChange(() => this.draw());
  }

  chart(canvas, title, datasets, stacked) {
    return new Chart(canvas, {
      type: 'bar',
      data: { labels: [], datasets: datasets.map((set) => ({ ...set, data: [], borderRadius: 3, maxBarThickness: 46 })) },
      options: {
        maintainAspectRatio: false,
        animation: { duration: 250 },
        plugins: {
          title: { display: true, text: title, align: 'start', font: { size: 13, weight: '600' } },
          legend: { display: stacked, position: 'top', align: 'end', labels: { boxWidth: 12, boxHeight: 12 } },
        },
        scales: {
          x: { stacked, grid: { display: false }, ticks: { autoSkip: false, font: { size: 11 } } },
          // With room for the titles of the groups.
          y: { stacked, beginAtZero: true, grace: '12%', ticks: { precision: 0 } },
        },
      },
      plugins: [groupTitles],
    });
  }

  set(results) {
    this.results = results.slice(-MOST);
    this.draw();
  }

  add(result) {
    this.set([...this.results.filter((r) => r.id !== result.id), result]);
  }

  // The last run of each kind under a protection.
  last(id) {
    const kinds = new Map();
    const of = this.results.filter((r) => r.request.protection === id);
    [...of.filter((r) => r.mishaps.length === 0), ...of.filter((r) => r.mishaps.length > 0)]
      .forEach((run) => kinds.set([mishap(run) || plural(run.instances, 'instance'), thinking(run)].filter(Boolean).join(', '), run));
    // The newest first: where there is no room for all, the others are cut off.
    return [...kinds].map(([kind, run]) => ({ kind, run })).sort((a, b) => b.run.id - a.run.id);
  }

  outcome(run) {
    if (run.mishaps.length === 0) {
      return `${rate(run.soldPerSecond)}/s`;
    }
    return refusals(run) ? 'late write refused' : 'none oversold';
  }

  groups() {
    return [this.results.filter((r) => !several(r)), this.results.filter(several)].filter((group) => group.length > 0);
  }

  draw() {
    const groups = this.groups();
    // A gap between the groups.
    const bars = groups.flatMap((group, i) => (i === 0 ? group : [null, ...group]));
    const labels = bars.map((r) => (r ? [`#${r.id} ${protection(r.request.protection).short}`, mishap(r), thinking(r)].filter(Boolean) : ''));
    const titles = groups.map((group) => ({
      title: titleOf(group), from: bars.indexOf(group[0]), to: bars.indexOf(group.at(-1)),
    }));
    const fill = (chart, values, colours) => this.fill(chart, bars, labels, titles, values, colours);
    fill(this.rateChart, [(r) => Math.round(r.soldPerSecond)], ['accent']);
    fill(this.soldChart, [(r) => r.sold - Math.min(r.sold, r.oversold), (r) => r.oversold], ['good', 'bad']);
    if (groups.length > 0) {
      [...this.table.tBodies].forEach((body) => body.remove());
      this.table.append(...groups.map((group) => element('tbody', {},
        element('tr', { className: 'group' }, element('th', { colSpan: 13, scope: 'rowgroup', textContent: titleOf(group) })),
        ...[...group].reverse().map((r) => labelled(this.tableRow(r), this.table)))));
    }
  }

  fill(chart, bars, labels, titles, values, colours) {
    chart.data.labels = labels;
    chart.data.datasets.forEach((set, i) => {
      set.data = bars.map((r) => (r ? values[i](r) : null));
      const hatch = hatched(colours[i]);
      set.backgroundColor = bars.map((r) => (r?.mishaps.length > 0 ? hatch : colour(colours[i])));
    });
    const { plugins, scales } = chart.options;
    chart.groups = titles;
    plugins.title.color = colour('text');
    plugins.legend.labels.color = colour('soft');
    scales.x.ticks.color = colour('soft');
    scales.y.ticks.color = colour('soft');
    scales.y.grid.color = colour('line');
    chart.update();
  }

  tableRow(r) {
    const cell = (text, className = '') => element('td', { className, textContent: text });
    const number = (text, bad) => cell(text, bad ? 'n bad' : 'n');
    const befallen = mishap(r);
    const row = element('tr', {},
      cell(r.id), cell(protection(r.request.protection).name),
      befallen ? element('td', {}, element('span', { className: 'pill bad', textContent: befallen })) : cell('–'),
      number(r.instances), number(r.request.buyers), number(r.request.atOnce), number(`${r.request.thinkMillis} ms`),
      number(r.sold), number(r.oversold, r.oversold > 0), cell(refusals(r) || '–'), number(r.failed),
      number(rate(r.soldPerSecond)), number(duration(r.p99WaitMicros)));
    Object.assign(row.dataset, {
      id: r.id, protection: r.request.protection, instances: r.instances, oversold: r.oversold, mishap: befallen,
    });
    return row;
  }
}
