// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.simulation.redis.Command.Call;
import io.lockstarter.simulation.redis.Command.Keys;
import io.lockstarter.simulation.redis.Stored.Fields;
import io.lockstarter.simulation.redis.Stored.Member;
import io.lockstarter.simulation.redis.Stored.Scores;
import io.lockstarter.simulation.redis.Stored.Text;
import org.jspecify.annotations.Nullable;

/**
 * The commands that read and write keys, as Redis 7.0 has them.
 */
final class DataCommands {

	private DataCommands() {
	}

	static List<Command> all() {
		List<Command> all = new ArrayList<>();
		all.add(new Command("get", 2, "", Keys.FIRST, (call) -> text(call.keys().find(call.at(1), Text.class))));
		all.add(new Command("set", -3, "wm", Keys.FIRST, DataCommands::set));
		all.add(new Command("setnx", 3, "wm", Keys.FIRST, DataCommands::setIfAbsent));
		all.add(new Command("getset", 3, "wm", Keys.FIRST, DataCommands::getAndSet));
		all.add(new Command("getdel", 2, "w", Keys.FIRST, DataCommands::getAndDelete));
		all.add(new Command("mget", -2, "", Keys.ALL, DataCommands::getAll));
		all.add(new Command("append", 3, "wm", Keys.FIRST, DataCommands::append));
		all.add(new Command("strlen", 2, "", Keys.FIRST,
				(call) -> Reply.of(call.keys().find(call.at(1), Text.class, new Text("")).raw().length())));
		all.add(new Command("incr", 2, "wm", Keys.FIRST, (call) -> increment(call, 1)));
		all.add(new Command("incrby", 3, "wm", Keys.FIRST, (call) -> increment(call, Numbers.integer(call.at(2)))));
		all.add(new Command("decr", 2, "wm", Keys.FIRST, (call) -> increment(call, -1)));

		all.add(new Command("del", -2, "w", Keys.ALL, DataCommands::delete));
		all.add(new Command("unlink", -2, "w", Keys.ALL, DataCommands::delete));
		all.add(new Command("exists", -2, "", Keys.ALL,
				(call) -> Reply.of(call.from(1).stream().filter((key) -> call.keys().find(key) != null).count())));
		all.add(new Command("type", 2, "", Keys.FIRST, DataCommands::type));
		all.add(new Command("pttl", 2, "", Keys.FIRST, (call) -> remaining(call, 1)));
		all.add(new Command("ttl", 2, "", Keys.FIRST, (call) -> remaining(call, 1000)));
		all.add(new Command("pexpire", -3, "w", Keys.FIRST, (call) -> expire(call, 1, call.keys().now())));
		all.add(new Command("expire", -3, "w", Keys.FIRST, (call) -> expire(call, 1000, call.keys().now())));
		all.add(new Command("pexpireat", -3, "w", Keys.FIRST, (call) -> expire(call, 1, 0)));
		all.add(new Command("persist", 2, "w", Keys.FIRST, DataCommands::persist));
		all.add(new Command("keys", 2, "", Keys.NONE, (call) -> Reply
			.ofTexts(call.keys().visible().keySet().stream().filter((key) -> matches(call.at(1), key)).toList())));
		all.add(new Command("scan", -2, "", Keys.NONE, DataCommands::scan));
		all.add(new Command("dbsize", 1, "", Keys.NONE, (call) -> Reply.of(call.keys().visible().size())));
		all.add(new Command("flushall", -1, "w", Keys.NONE, DataCommands::clear));
		all.add(new Command("flushdb", -1, "w", Keys.NONE, DataCommands::clear));

		all.add(new Command("hset", -4, "wm", Keys.FIRST, DataCommands::setFields));
		all.add(new Command("hget", 3, "", Keys.FIRST, (call) -> bulk(fields(call).values().get(call.at(2)))));
		all.add(new Command("hexists", 3, "", Keys.FIRST,
				(call) -> Reply.of(fields(call).values().containsKey(call.at(2)))));
		all.add(new Command("hlen", 2, "", Keys.FIRST, (call) -> Reply.of(fields(call).values().size())));
		all.add(new Command("hkeys", 2, "", Keys.FIRST,
				(call) -> Reply.ofTexts(List.copyOf(fields(call).values().keySet()))));
		all.add(new Command("hvals", 2, "", Keys.FIRST,
				(call) -> Reply.ofTexts(List.copyOf(fields(call).values().values()))));
		all.add(new Command("hgetall", 2, "", Keys.FIRST, DataCommands::getFields));
		all.add(new Command("hdel", -3, "w", Keys.FIRST, DataCommands::deleteFields));
		all.add(new Command("hincrby", 4, "wm", Keys.FIRST, DataCommands::incrementField));

		all.add(new Command("zadd", -4, "wm", Keys.FIRST, DataCommands::addMembers));
		all.add(new Command("zrem", -3, "w", Keys.FIRST, DataCommands::removeMembers));
		all.add(new Command("zremrangebyscore", 4, "w", Keys.FIRST, DataCommands::removeScores));
		all.add(new Command("zcard", 2, "", Keys.FIRST, (call) -> Reply.of(scores(call).members().size())));
		all.add(new Command("zscore", 3, "", Keys.FIRST, DataCommands::score));
		all.add(new Command("zrange", -4, "", Keys.FIRST, DataCommands::range));
		all.add(new Command("zpopmin", -2, "w", Keys.FIRST, DataCommands::popMin));
		return all;
	}

	// A star alone is no pattern here, and stands for the empty key, too.
	private static boolean matches(String pattern, String key) {
		return "*".equals(pattern) || Glob.matches(pattern, key);
	}

	private static Reply bulk(@Nullable String raw) {
		return (raw != null) ? new Reply.Bulk(raw) : Reply.NIL;
	}

	private static Reply text(@Nullable Text text) {
		return bulk((text != null) ? text.raw() : null);
	}

	private static Fields fields(Call call) {
		return call.keys().find(call.at(1), Fields.class, Fields.NONE);
	}

	private static Scores scores(Call call) {
		return call.keys().find(call.at(1), Scores.class, Scores.NONE);
	}

	private static Reply set(Call call) {
		boolean nx = false;
		boolean xx = false;
		boolean get = false;
		boolean keep = false;
		String unit = null;
		String amount = "";
		for (int i = 3; i < call.count(); i++) {
			String option = call.lower(i);
			boolean last = i + 1 == call.count();
			switch (option) {
				case "nx" -> nx = true;
				case "xx" -> xx = true;
				case "get" -> get = true;
				case "keepttl" -> keep = true;
				case "ex", "px", "exat", "pxat" -> {
					require(!last && unit == null);
					unit = option;
					amount = call.at(++i);
				}
				default -> throw new Refusal(Refusal.SYNTAX);
			}
			require(!(nx && xx) && !(keep && unit != null));
		}
		long end = (unit != null) ? end(amount, unit, call.keys().now()) : Entry.NEVER;
		Entry before = call.keys().find(call.at(1));
		Reply old = get ? text(call.keys().find(call.at(1), Text.class)) : Reply.NIL;
		if ((nx && before != null) || (xx && before == null)) {
			return old;
		}
		Entry entry = new Entry(new Text(call.at(2)), end);
		call.keys().put(call.at(1), (keep && before != null) ? entry.until(before.expiresAt()) : entry);
		return get ? old : Reply.OK;
	}

	private static void require(boolean correct) {
		if (!correct) {
			throw new Refusal(Refusal.SYNTAX);
		}
	}

	private static long end(String amount, String unit, long now) {
		long number = Numbers.integer(amount);
		long millis = unit.startsWith("e") ? 1000 : 1;
		long base = unit.endsWith("at") ? 0 : now;
		if (number <= 0 || number > Long.MAX_VALUE / millis || number * millis > Long.MAX_VALUE - base) {
			throw new Refusal("ERR invalid expire time in 'set' command");
		}
		return number * millis + base;
	}

	private static Reply setIfAbsent(Call call) {
		boolean absent = call.keys().find(call.at(1)) == null;
		if (absent) {
			call.keys().put(call.at(1), new Entry(new Text(call.at(2)), Entry.NEVER));
		}
		return Reply.of(absent);
	}

	private static Reply getAndSet(Call call) {
		Reply old = text(call.keys().find(call.at(1), Text.class));
		call.keys().put(call.at(1), new Entry(new Text(call.at(2)), Entry.NEVER));
		return old;
	}

	private static Reply getAndDelete(Call call) {
		Reply old = text(call.keys().find(call.at(1), Text.class));
		call.keys().remove(call.at(1));
		return old;
	}

	private static Reply getAll(Call call) {
		List<Reply> values = new ArrayList<>();
		for (String key : call.from(1)) {
			Entry entry = call.keys().find(key);
			values.add((entry != null && entry.value() instanceof Text text) ? text(text) : Reply.NIL);
		}
		return new Reply.Array(values);
	}

	private static Reply append(Call call) {
		String all = call.keys().find(call.at(1), Text.class, new Text("")).raw() + call.at(2);
		call.keys().replace(call.at(1), new Text(all));
		return Reply.of(all.length());
	}

	private static Reply increment(Call call, long step) {
		String before = call.keys().find(call.at(1), Text.class, new Text("0")).raw();
		long after = sum(Numbers.integer(before), step);
		call.keys().replace(call.at(1), new Text(Long.toString(after)));
		return Reply.of(after);
	}

	private static long sum(long number, long step) {
		try {
			return Math.addExact(number, step);
		}
		catch (ArithmeticException ex) {
			throw new Refusal("ERR increment or decrement would overflow");
		}
	}

	private static Reply delete(Call call) {
		return Reply.of(call.from(1)
			.stream()
			.filter((key) -> call.keys().find(key) != null && call.keys().remove(key))
			.count());
	}

	private static Reply type(Call call) {
		Entry entry = call.keys().find(call.at(1));
		return new Reply.Status((entry != null) ? entry.value().type() : "none");
	}

	private static Reply remaining(Call call, int unit) {
		Entry entry = call.keys().find(call.at(1));
		if (entry == null) {
			return Reply.of(-2);
		}
		if (entry.expiresAt() == Entry.NEVER) {
			return Reply.of(-1);
		}
		return Reply.of((entry.expiresAt() - call.keys().now() + unit / 2) / unit);
	}

	private static Reply expire(Call call, int unit, long base) {
		if (call.count() > 3) {
			throw call.unsupported();
		}
		long amount = Numbers.integer(call.at(2));
		if (amount > Long.MAX_VALUE / unit || amount < Long.MIN_VALUE / unit || amount * unit > Long.MAX_VALUE - base) {
			throw new Refusal("ERR invalid expire time in '%s' command".formatted(call.lower(0)));
		}
		Entry entry = call.keys().find(call.at(1));
		if (entry == null) {
			return Reply.of(0);
		}
		long end = amount * unit + base;
		if (end <= call.keys().now()) {
			call.keys().remove(call.at(1));
		}
		else {
			call.keys().put(call.at(1), entry.until(end));
		}
		return Reply.of(1);
	}

	private static Reply persist(Call call) {
		Entry entry = call.keys().find(call.at(1));
		boolean expires = entry != null && entry.expiresAt() != Entry.NEVER;
		if (entry != null && expires) {
			call.keys().put(call.at(1), entry.until(Entry.NEVER));
		}
		return Reply.of(expires);
	}

	private static Reply scan(Call call) {
		long cursor;
		try {
			cursor = Long.parseUnsignedLong(call.at(1));
		}
		catch (NumberFormatException ex) {
			throw new Refusal("ERR invalid cursor");
		}
		String pattern = "*";
		String type = null;
		long count = 10;
		for (int i = 2; i < call.count(); i += 2) {
			require(i + 1 < call.count());
			switch (call.lower(i)) {
				case "match" -> pattern = call.at(i + 1);
				case "type" -> type = call.lower(i + 1);
				case "count" -> count = Numbers.integer(call.at(i + 1));
				default -> throw new Refusal(Refusal.SYNTAX);
			}
			require(count > 0);
		}
		Keyspace.Page page = call.keys().scan(cursor, count);
		List<String> found = new ArrayList<>();
		for (String key : page.keys()) {
			Entry entry = call.keys().find(key);
			if (entry != null && matches(pattern, key) && (type == null || entry.value().type().equals(type))) {
				found.add(key);
			}
		}
		return Reply.ofAll(new Reply.Bulk(Long.toString(page.next())), Reply.ofTexts(found));
	}

	private static Reply clear(Call call) {
		call.keys().clear();
		return Reply.OK;
	}

	private static Reply setFields(Call call) {
		if (call.count() % 2 != 0) {
			throw new Refusal("ERR wrong number of arguments for 'hset' command");
		}
		Fields fields = fields(call);
		int before = fields.values().size();
		for (int i = 2; i < call.count(); i += 2) {
			fields = fields.with(call.at(i), call.at(i + 1));
		}
		call.keys().replace(call.at(1), fields);
		return Reply.of(fields.values().size() - before);
	}

	private static Reply getFields(Call call) {
		List<String> all = new ArrayList<>();
		fields(call).values().forEach((field, value) -> all.addAll(List.of(field, value)));
		return Reply.ofTexts(all);
	}

	private static Reply deleteFields(Call call) {
		Fields before = fields(call);
		Fields after = before;
		for (String field : call.from(2)) {
			after = after.without(field);
		}
		int deleted = before.values().size() - after.values().size();
		if (deleted > 0) {
			call.keys().replace(call.at(1), after);
		}
		return Reply.of(deleted);
	}

	private static Reply incrementField(Call call) {
		long step = Numbers.integer(call.at(3));
		Fields fields = fields(call);
		String before = fields.values().getOrDefault(call.at(2), "0");
		long after = sum(Numbers.integer(before, "ERR hash value is not an integer"), step);
		call.keys().replace(call.at(1), fields.with(call.at(2), Long.toString(after)));
		return Reply.of(after);
	}

	private static Reply addMembers(Call call) {
		boolean nx = false;
		boolean xx = false;
		boolean countsChanges = false;
		int first = 2;
		for (boolean options = true; options && first < call.count();) {
			switch (call.lower(first)) {
				case "nx" -> nx = true;
				case "xx" -> xx = true;
				case "ch" -> countsChanges = true;
				case "gt", "lt", "incr" -> throw call.unsupported();
				default -> options = false;
			}
			first += options ? 1 : 0;
		}
		require(first < call.count() && (call.count() - first) % 2 == 0);
		if (nx && xx) {
			throw new Refusal("ERR XX and NX options at the same time are not compatible");
		}
		double[] added = new double[(call.count() - first) / 2];
		for (int i = 0; i < added.length; i++) {
			added[i] = Numbers.score(call.at(first + 2 * i));
		}
		Scores scores = scores(call);
		int changed = 0;
		int created = 0;
		for (int i = 0; i < added.length; i++) {
			String name = call.at(first + 2 * i + 1);
			Double before = scores.score(name);
			if ((before == null) ? xx : (nx || before == added[i])) {
				continue;
			}
			scores = scores.with(name, added[i]);
			changed++;
			created += (before == null) ? 1 : 0;
		}
		if (changed > 0) {
			call.keys().replace(call.at(1), scores);
		}
		return Reply.of(countsChanges ? changed : created);
	}

	private static Reply removeMembers(Call call) {
		Scores before = scores(call);
		Scores after = before;
		for (String name : call.from(2)) {
			after = after.without(name);
		}
		int removed = before.members().size() - after.members().size();
		if (removed > 0) {
			call.keys().replace(call.at(1), after);
		}
		return Reply.of(removed);
	}

	private static Reply removeScores(Call call) {
		if (!"-inf".equals(call.lower(2))) {
			throw call.unsupported();
		}
		double most = "+inf".equals(call.lower(3)) ? Double.POSITIVE_INFINITY : Numbers.integer(call.at(3));
		Scores before = scores(call);
		Scores after = before;
		for (Member member : before.members()) {
			after = (member.score() <= most) ? after.without(member.name()) : after;
		}
		int removed = before.members().size() - after.members().size();
		if (removed > 0) {
			call.keys().replace(call.at(1), after);
		}
		return Reply.of(removed);
	}

	private static Reply score(Call call) {
		Double score = scores(call).score(call.at(2));
		return (score != null) ? new Reply.Bulk(Numbers.format(score)) : Reply.NIL;
	}

	private static Reply range(Call call) {
		boolean withScores = call.count() == 5 && "withscores".equals(call.lower(4));
		if (call.count() > 4 && !withScores) {
			switch (call.lower(4)) {
				case "byscore", "bylex", "rev", "limit", "withscores" -> throw call.unsupported();
				default -> throw new Refusal(Refusal.SYNTAX);
			}
		}
		long from = Numbers.integer(call.at(2));
		long to = Numbers.integer(call.at(3));
		List<Member> members = scores(call).members();
		int size = members.size();
		from = Math.max((from < 0) ? from + size : from, 0);
		to = Math.min((to < 0) ? to + size : to, size - 1);
		return (from > to) ? Reply.ofAll() : members(members.subList((int) from, (int) to + 1), withScores);
	}

	private static Reply members(List<Member> members, boolean withScores) {
		List<String> all = new ArrayList<>();
		for (Member member : members) {
			all.add(member.name());
			if (withScores) {
				all.add(Numbers.format(member.score()));
			}
		}
		return Reply.ofTexts(all);
	}

	private static Reply popMin(Call call) {
		if (call.count() > 3) {
			throw new Refusal(Refusal.SYNTAX);
		}
		String refusal = "ERR value is out of range, must be positive";
		long count = (call.count() == 3) ? Numbers.integer(call.at(2), refusal) : 1;
		if (count < 0) {
			throw new Refusal(refusal);
		}
		Scores scores = scores(call);
		int popped = (int) Math.min(count, scores.members().size());
		if (popped > 0) {
			call.keys().replace(call.at(1), scores.from(popped));
		}
		return members(scores.members().subList(0, popped), true);
	}

}
