// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua51.Lua51;
import party.iroiro.luajava.lua51.Lua51Consts;
import party.iroiro.luajava.lua51.Lua51Natives;

/**
 * Runs scripts in the Lua that Redis 7.0 embeds, with what it adds to that. All servers
 * of a thread share one, as scripts leave nothing behind; so each is compiled once.
 */
final class LuaScripts {

	private static final ThreadLocal<LuaScripts> OF_THREAD = ThreadLocal.withInitial(LuaScripts::new);

	/**
	 * What Redis adds, and what it leaves out. Returns how to handle errors, and how to
	 * compile.
	 */
	private static final String PRELUDE = """
			local call, try, digest = ...
			local getinfo, loadstring, plain_pcall, type, tostring = debug.getinfo, loadstring, pcall, type, tostring
			local rawset, error, gsub, char, tonumber = rawset, error, string.gsub, string.char, tonumber
			KEYS, ARGV = {}, {}

			local function reply(field, text)
				if type(text) ~= 'string' then
					return { err = 'ERR wrong number or type of arguments' }
				end
				if field == 'err' then
					text = gsub(gsub(text, '^%-', ''), '[\\r\\n]+$', '')
					text = text:find(' ', 1, true) and text or 'ERR ' .. text
				end
				return { [field] = text }
			end

			redis = {
				call = call,
				pcall = try,
				sha1hex = digest,
				error_reply = function(text) return reply('err', text) end,
				status_reply = function(text) return reply('ok', text) end,
				log = function() end,
				setresp = function() end,
				replicate_commands = function() return true end,
				LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3,
				REDIS_VERSION = '7.0.15', REDIS_VERSION_NUM = 0x0007000f
			}

			-- Of an error of a command, only the message remains.
			local function results(done, first, ...)
				if not done and type(first) == 'table' and type(first.err) == 'string' then
					first = first.err
				end
				return done, first, ...
			end

			function pcall(...)
				return results(plain_pcall(...))
			end

			for _, name in ipairs { 'os', 'io', 'package', 'require', 'module', 'dofile', 'loadfile', 'print', 'debug',
					'java', 'newproxy' } do
				_G[name] = nil
			end
			-- nothing that is not determined
			math.random, math.randomseed = nil, nil
			setmetatable(_G, {
				__newindex = function(_, name, value)
					-- where luajava remembers what Java has thrown
					if name ~= '__jthrowable__' then
						error('Attempt to modify a readonly table', 2)
					end
					rawset(_G, name, value)
				end,
				__index = function(_, name)
					error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
				end
			})

			local function handle(failure)
				local level = 2
				local info = getinfo(level, 'Sl')
				while info and info.source ~= '@user_script' do
					level = level + 1
					info = getinfo(level, 'Sl')
				end
				if type(failure) ~= 'table' then
					failure = { err = 'ERR ' .. tostring(failure) }
				end
				if info then
					failure.source, failure.line = info.source, info.currentline
				end
				return failure
			end

			local function compile(text)
				return loadstring(text, '@user_script')
			end

			-- Bytes that are no characters of C's, in hexadecimal.
			local function decode(text)
				return (gsub(text, '..', function(hex) return char(tonumber(hex, 16)) end))
			end

			return handle, compile, decode
			""";

	private final Lua51Natives lua;

	private final long state;

	// Held, as it closes the state otherwise.
	@SuppressWarnings("unused")
	private final Lua owner;

	private final int handler;

	private final int compiler;

	private final int decoder;

	private final Map<String, Integer> compiled = new HashMap<>();

	private @Nullable Caller caller;

	// thrown by a command that is no reply of Redis
	private @Nullable RuntimeException defect;

	private LuaScripts() {
		Lua51 owner = new Lua51();
		owner.openLibraries();
		this.owner = owner;
		this.lua = (Lua51Natives) owner.getLuaNatives();
		this.state = owner.getPointer();
		check(this.lua.luaL_loadstring(this.state, PRELUDE));
		owner.push((each) -> call(true));
		owner.push((each) -> call(false));
		owner.push((each) -> digest());
		check(this.lua.lua_pcall(this.state, 3, 3, 0));
		this.decoder = this.lua.luaL_ref(this.state, Lua51Consts.LUA_REGISTRYINDEX);
		this.compiler = this.lua.luaL_ref(this.state, Lua51Consts.LUA_REGISTRYINDEX);
		this.handler = this.lua.luaL_ref(this.state, Lua51Consts.LUA_REGISTRYINDEX);
	}

	static LuaScripts ofThread() {
		return OF_THREAD.get();
	}

	static String digest(String script) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(script.getBytes(StandardCharsets.ISO_8859_1));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Compile a script, unless it is known.
	 * @throws Refusal if it cannot be compiled
	 */
	void compile(String digest, String script) {
		if (this.compiled.containsKey(digest)) {
			return;
		}
		get(this.compiler);
		push(script);
		check(this.lua.lua_pcall(this.state, 1, 2, 0));
		if (this.lua.lua_isfunction(this.state, -2) == 0) {
			String problem = string(-1);
			this.lua.lua_settop(this.state, 0);
			throw new Refusal("ERR Error compiling script (new function): " + problem);
		}
		this.lua.lua_pop(this.state, 1);
		this.compiled.put(digest, this.lua.luaL_ref(this.state, Lua51Consts.LUA_REGISTRYINDEX));
	}

	/**
	 * Run a script that was compiled.
	 * @param caller executes what the script calls
	 */
	Reply run(String digest, List<String> keys, List<String> arguments, Caller caller) {
		if (this.caller != null) {
			throw new IllegalStateException("A script is under way");
		}
		this.caller = caller;
		try {
			get(this.handler);
			set("KEYS", keys);
			set("ARGV", arguments);
			get(this.compiled.get(digest));
			int status = this.lua.lua_pcall(this.state, 0, 1, 1);
			if (this.defect != null) {
				throw this.defect;
			}
			return (status == 0) ? reply(0) : failure(digest);
		}
		finally {
			this.caller = null;
			this.defect = null;
			this.lua.lua_settop(this.state, 0);
		}
	}

	private void set(String name, List<String> texts) {
		this.lua.lua_createtable(this.state, texts.size(), 0);
		for (int i = 0; i < texts.size(); i++) {
			push(texts.get(i));
			this.lua.lua_rawseti(this.state, -2, i + 1);
		}
		this.lua.lua_setglobal(this.state, name);
	}

	private Reply failure(String digest) {
		String message = field("err");
		String source = field("source");
		String line = field("line");
		String place = (source != null && line != null) ? " script: %s, on %s:%s.".formatted(digest, source, line) : "";
		return new Reply.Failure(line(((message != null) ? message : "ERR unknown") + place));
	}

	// Of the table on top.
	private @Nullable String field(String name) {
		this.lua.lua_pushstring(this.state, name);
		this.lua.lua_rawget(this.state, -2);
		String found = (this.lua.lua_isstring(this.state, -1) != 0) ? untilNul(string(-1)) : null;
		this.lua.lua_pop(this.state, 1);
		return found;
	}

	// As a string of C ends.
	private static String untilNul(String text) {
		int end = text.indexOf(0);
		return (end < 0) ? text : text.substring(0, end);
	}

	private static String line(String text) {
		return text.replace('\r', ' ').replace('\n', ' ');
	}

	// Of the value on top, which is taken away.
	private Reply reply(int depth) {
		if (this.lua.lua_checkstack(this.state, 4) == 0 || depth > 100) {
			throw new IllegalStateException("The reply of a script is too deep");
		}
		Reply reply = switch (this.lua.lua_type(this.state, -1)) {
			case Lua51Consts.LUA_TSTRING -> new Reply.Bulk(string(-1));
			case Lua51Consts.LUA_TNUMBER -> Reply.of(Numbers.truncate(this.lua.lua_tonumber(this.state, -1)));
			case Lua51Consts.LUA_TBOOLEAN -> (this.lua.lua_toboolean(this.state, -1) != 0) ? Reply.of(1) : Reply.NIL;
			case Lua51Consts.LUA_TTABLE -> table(depth);
			default -> Reply.NIL;
		};
		this.lua.lua_pop(this.state, 1);
		return reply;
	}

	private Reply table(int depth) {
		String error = textField("err");
		if (error != null) {
			return new Reply.Failure(line(error.replaceFirst("[\r\n]+$", "")));
		}
		String status = textField("ok");
		if (status != null) {
			return new Reply.Status(line(status));
		}
		List<Reply> elements = new ArrayList<>();
		while (true) {
			this.lua.lua_rawgeti(this.state, -1, elements.size() + 1);
			if (this.lua.lua_type(this.state, -1) == Lua51Consts.LUA_TNIL) {
				this.lua.lua_pop(this.state, 1);
				return new Reply.Array(elements);
			}
			elements.add(reply(depth + 1));
		}
	}

	private @Nullable String textField(String name) {
		this.lua.lua_pushstring(this.state, name);
		this.lua.lua_rawget(this.state, -2);
		String found = (this.lua.lua_type(this.state, -1) == Lua51Consts.LUA_TSTRING) ? untilNul(string(-1)) : null;
		this.lua.lua_pop(this.state, 1);
		return found;
	}

	private int digest() {
		if (this.lua.lua_gettop(this.state) != 1) {
			return raise("ERR wrong number of arguments", true);
		}
		push(digest((this.lua.lua_isstring(this.state, 1) != 0) ? string(1) : ""));
		return 1;
	}

	/**
	 * Called by scripts, with the command and its arguments on the stack.
	 */
	private int call(boolean raising) {
		try {
			Reply reply = command();
			if (!(reply instanceof Reply.Failure failure)) {
				push(reply);
				return 1;
			}
			return raise(failure.message(), raising);
		}
		catch (Refusal ex) {
			return raise(ex.message(), raising);
		}
		catch (RuntimeException ex) {
			this.defect = ex;
			return raise("ERR defect", true);
		}
	}

	private int raise(String message, boolean raising) {
		this.lua.lua_createtable(this.state, 0, 1);
		this.lua.lua_pushstring(this.state, "err");
		push(message);
		this.lua.lua_rawset(this.state, -3);
		return raising ? -1 : 1;
	}

	private Reply command() {
		int count = this.lua.lua_gettop(this.state);
		if (count == 0) {
			throw new Refusal("ERR Please specify at least one argument for this redis lib call");
		}
		List<String> arguments = new ArrayList<>(count);
		for (int i = 1; i <= count; i++) {
			arguments.add(switch (this.lua.lua_type(this.state, i)) {
				case Lua51Consts.LUA_TSTRING -> string(i);
				case Lua51Consts.LUA_TNUMBER -> Numbers.format(this.lua.lua_tonumber(this.state, i));
				default -> throw new Refusal("ERR Lua redis lib command arguments must be strings or integers");
			});
		}
		if (this.caller == null) {
			throw new IllegalStateException("No script is under way");
		}
		return this.caller.call(arguments);
	}

	private void push(Reply reply) {
		if (reply instanceof Reply.Int number) {
			this.lua.lua_pushnumber(this.state, (double) number.value());
		}
		else if (reply instanceof Reply.Bulk bulk) {
			push(bulk.raw());
		}
		else if (reply instanceof Reply.Array array) {
			this.lua.lua_checkstack(this.state, 4);
			this.lua.lua_createtable(this.state, array.elements().size(), 0);
			for (int i = 0; i < array.elements().size(); i++) {
				push(array.elements().get(i));
				this.lua.lua_rawseti(this.state, -2, i + 1);
			}
		}
		else if (reply instanceof Reply.Status status) {
			push("ok", status.text());
		}
		else if (reply instanceof Reply.Failure failure) {
			push("err", failure.message());
		}
		else {
			this.lua.lua_pushboolean(this.state, 0);
		}
	}

	private void push(String name, String text) {
		this.lua.lua_createtable(this.state, 0, 1);
		this.lua.lua_pushstring(this.state, name);
		push(text);
		this.lua.lua_rawset(this.state, -3);
	}

	private void push(String text) {
		if (isPlain(text)) {
			this.lua.lua_pushstring(this.state, text);
			return;
		}
		get(this.decoder);
		this.lua.lua_pushstring(this.state, HexFormat.of().formatHex(text.getBytes(StandardCharsets.ISO_8859_1)));
		check(this.lua.lua_pcall(this.state, 1, 1, 0));
	}

	private static boolean isPlain(String text) {
		for (int i = 0; i < text.length(); i++) {
			char next = text.charAt(i);
			if (next == 0 || next > 127) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Return the bytes of a string. JNI takes them for characters of a kind of its own,
	 * which all characters of ASCII but NUL are.
	 */
	private String string(int index) {
		String text = this.lua.lua_tostring(this.state, index);
		if (isPlain(text) && text.length() == this.lua.lua_objlen(this.state, index)) {
			return text;
		}
		ByteBuffer buffer = (ByteBuffer) this.lua.luaJ_tobuffer(this.state, index);
		byte[] bytes = new byte[buffer.remaining()];
		buffer.get(bytes);
		return new String(bytes, StandardCharsets.ISO_8859_1);
	}

	private void get(int reference) {
		this.lua.lua_rawgeti(this.state, Lua51Consts.LUA_REGISTRYINDEX, reference);
	}

	private void check(int status) {
		if (status != 0) {
			throw new IllegalStateException("Lua: " + this.lua.lua_tostring(this.state, -1));
		}
	}

	/**
	 * What scripts call.
	 */
	interface Caller {

		/**
		 * Execute a command.
		 * @param arguments its name, and its arguments
		 * @throws Refusal if it is refused
		 */
		Reply call(List<String> arguments);

	}

}
