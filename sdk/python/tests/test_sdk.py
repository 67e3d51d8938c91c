"""The SDK on a real server, with answers cut and refused on the way. CARREL_URL and CARREL_TOKEN name the server."""

import asyncio
import base64
import hashlib
import hmac
import http.server
import json
import logging
import os
import re
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from unittest import mock

import carrel
from carrel import _policy
from carrel._sse import EventParser

ROOT = Path(__file__).parent.parent
PAUSE_SECONDS = _policy.FIRST_PAUSE_SECONDS
_policy.FIRST_PAUSE_SECONDS = 0.01

LEASE = b"Either party may end this lease with a notice period of six months."


class Proxy:
    """Passes requests on, each through `fault(number, request)`: `(status, headers)` is an answer in place of the server's, an int the
    bytes of the body after which the connection is cut, None nothing."""

    def __init__(self, fault):
        self.seen = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def handle_any(self):
                size = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(size)
                proxy.seen.append((self.command, self.path, dict(self.headers.items()), body))
                told = fault(len(proxy.seen), self)
                self.close_connection = True
                if isinstance(told, tuple):
                    self.send_response(told[0])
                    for name, value in told[1].items():
                        self.send_header(name, value)
                    self.end_headers()
                    return
                self.pass_on(body, told)

            def pass_on(self, body, cut):
                headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "accept-encoding")}
                request = urllib.request.Request(
                    os.environ["CARREL_URL"] + self.path, body or None, headers, method=self.command
                )
                try:
                    answer = urllib.request.urlopen(request)
                except urllib.error.HTTPError as error:
                    answer = error
                with answer:
                    if cut == 0:
                        answer.read()
                        return
                    self.send_response(answer.status)
                    self.send_header("content-type", answer.headers.get("content-type", ""))
                    self.send_header("transfer-encoding", "chunked")
                    self.end_headers()
                    left = cut
                    while chunk := answer.read1(65536):
                        given = chunk if left is None else chunk[:left]
                        if given:
                            self.wfile.write(b"%x\r\n%s\r\n" % (len(given), given))
                        if left is not None:
                            left -= len(given)
                            if left <= 0:
                                return
                    self.wfile.write(b"0\r\n\r\n")

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            protocol_version = "HTTP/1.1"

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # a client that goes away
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class WithServer(unittest.TestCase):
    def setUp(self):
        self.carrel = self.client()

    def client(self, *given, **more):
        client = carrel.Carrel(*given, **more)
        self.addCleanup(client.close)
        return client


class Files(WithServer):
    def test_uploads_of_every_kind_are_found_and_come_back_as_they_were(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'a "quoted" straße.txt'
            path.write_bytes(LEASE)
            with open(path, "rb") as file:
                sources = [
                    path,
                    carrel.UploadFile(LEASE + b" Bytes.", "bytes.txt"),
                    carrel.UploadFile(file, "open.txt"),
                    carrel.UploadFile((piece for piece in (b"Pieces of ", b"a notice.")), "pieces.txt"),
                ]
                answer = self.carrel.files.upload(sources, context_id="kinds", tags=["a", "b"], metadata={"n": 1})
        self.assertEqual([file["name"] for file in answer["files"]][1:], ["bytes.txt", "open.txt", "pieces.txt"])
        self.assertIn("straße", answer["files"][0]["name"])
        self.assertEqual((answer["files"][0]["tags"], answer["files"][0]["metadata"]), (["a", "b"], {"n": 1}))
        ids = [file["id"] for file in answer["files"]]
        found = self.carrel.files.wait_until_searchable(ids)
        self.assertEqual({file["status"] for file in found}, {"searchable"})
        self.assertEqual(self.carrel.files.download(ids[3]).read(), b"Pieces of a notice.")
        self.assertIn("notice period", self.carrel.files.text(ids[0]))
        hits = self.carrel.search("notice period", filters={"context_id": "kinds"}, limit=2)["hits"]
        self.assertIn("notice period", hits[0]["text"])
        self.assertEqual({file["id"] for file in self.carrel.files.list(context_id="kinds")}, set(ids))

    def test_a_file_that_cannot_be_read_is_an_error_with_its_record(self):
        answer = self.carrel.files.upload(b"%PDF-1.4 nothing of a PDF", name="broken.pdf")
        with self.assertRaises(carrel.IndexingError) as raised:
            self.carrel.files.wait_until_searchable(answer["files"][0]["id"])
        self.assertEqual(raised.exception.file["status"], "failed")

    def test_a_folder_is_brought_once_and_then_what_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(120):
                path = Path(folder) / f"part{number % 3}" / f"{number // 3}.txt"
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"text number {number}")
            (Path(folder) / "no.exe").write_bytes(b"MZ")
            first = self.carrel.files.upload_dir(folder, context_id="folder")
            self.assertEqual((len(first.uploaded), len(set(first.uploaded.values()))), (120, 120))
            self.assertEqual([(each["path"], each["code"]) for each in first.rejected], [("no.exe", "unsupported_file_type")])
            self.carrel.files.wait_until_searchable(list(first.uploaded.values()))
            again = self.carrel.files.upload_dir(folder, context_id="folder")
            self.assertEqual((again.uploaded, again.unchanged), ({}, 120))
            (Path(folder) / "part1" / "7.txt").write_text("another text altogether")
            changed = self.carrel.files.upload_dir(folder, context_id="folder")
            self.assertEqual(list(changed.uploaded), ["part1/7.txt"])
            # What a kill cut at the end of the manifest is left out; nothing is stored twice.
            manifest = Path(folder) / ".carrel-manifest.jsonl"
            manifest.write_text("".join(manifest.read_text().splitlines(True)[:60]) + '{"path": "part')
            resumed = self.carrel.files.upload_dir(folder, context_id="folder")
            self.assertEqual(len(resumed.uploaded) + resumed.unchanged, 120)
            self.assertEqual(len(list(self.carrel.files.list(context_id="folder"))), 120)

    def test_a_folder_that_was_stopped_in_the_midst_of_a_line_is_brought_once(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(130):
                (Path(folder) / f"{number + 100}.txt").write_text(f"The stopped text {number}.")
            manifest = Path(folder) / ".carrel-manifest.jsonl"

            def stopped_at(last):
                def include(path):
                    if path == last:
                        raise ValueError("stopped")
                    return True

                with self.assertRaises(ValueError):
                    self.carrel.files.upload_dir(folder, context_id="stopped", parallel=1, include=include)
                return len(manifest.read_text().splitlines())

            self.assertEqual(stopped_at("151.txt"), 50)
            whole = manifest.read_text()
            manifest.write_text(whole[:-20])  # as a kill leaves it
            Path(f"{manifest}.new").write_text(whole[:30])
            self.assertEqual(stopped_at("202.txt"), 100)
            third = self.carrel.files.upload_dir(folder, context_id="stopped")
            self.assertEqual((len(third.uploaded), third.unchanged), (31, 99))
            fourth = self.carrel.files.upload_dir(folder, context_id="stopped")
            self.assertEqual((fourth.uploaded, fourth.unchanged), ({}, 130))


class Replies(WithServer):
    model = os.environ.get("CARREL_TEST_MODEL", "builtin/extractive")

    def test_a_reply_is_events_or_text_or_its_end(self):
        events = list(self.carrel.conversations.stream("Hello there", model=self.model))
        self.assertEqual([event["id"] for event in events], list(range(1, len(events) + 1)))
        self.assertEqual((events[0]["event"], events[-1]["event"]), ("conversation_created", "done"))
        reply = self.carrel.conversations.stream("Hello there", model=self.model)
        text = "".join(reply.text())
        self.assertTrue(text)
        final = self.carrel.conversations.follow(reply.conversation_id).final_message()
        self.assertEqual((final["content"], final["conversation_id"]), (text, reply.conversation_id))

    def test_a_stream_that_is_cut_again_and_again_tells_every_event_once(self):
        sizes = iter([0, 1, 40, 333, 500, 700, 20])
        with Proxy(lambda *_: next(sizes, None)) as proxy:
            client = self.client(proxy.url)
            before = len(list(self.carrel.conversations.list()))
            reply = client.conversations.stream("Hello there", model=self.model)
            events = list(reply)
            self.assertEqual(len(list(self.carrel.conversations.list())), before + 1)
            self.assertEqual([event["id"] for event in events], list(range(1, len(events) + 1)))
            deltas = "".join(event["data"]["text"] for event in events if event["event"] == "message_delta")
            stored = self.carrel.conversations.get(reply.conversation_id)
            self.assertEqual([message["content"] for message in stored["messages"]][1:], [deltas])
            begun = [seen for seen in proxy.seen if seen[0] == "POST"]
            self.assertEqual(len({seen[2]["idempotency-key"] for seen in begun}), 1)
            self.assertGreater(len(proxy.seen), len(begun))

    def test_an_asynchronous_client_resumes_as_well_and_can_be_cancelled(self):
        async def talk(url):
            async with carrel.AsyncCarrel(url) as client:
                events = [event async for event in client.conversations.stream("Hello there", model=self.model)]
                self.assertEqual([event["id"] for event in events], list(range(1, len(events) + 1)))
                (answer, found) = await asyncio.gather(client.files.upload(LEASE, name="a.txt"), client.search("x"))
                await client.files.wait_until_searchable(answer["files"][0]["id"])
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.events.follow(types=["storage.low"], pause=60).__anext__(), 1)

        sizes = iter([300, 200])
        with Proxy(lambda *_: next(sizes, None)) as proxy:
            asyncio.run(talk(proxy.url))


class Retries(WithServer):
    def test_what_is_refused_is_tried_again_after_the_time_that_is_said(self):
        faults = iter([(429, {"retry-after": "1"}), (503, {"retry-after": "0"})])
        with Proxy(lambda *_: next(faults, None)) as proxy:
            client = self.client(proxy.url)
            began = time.monotonic()
            self.assertTrue(client.models.list())
            self.assertGreaterEqual(time.monotonic() - began, 1)
            self.assertEqual(len(proxy.seen), 3)

    def test_an_upload_whose_answer_was_lost_is_made_once(self):
        cuts = iter([0, 10])
        with Proxy(lambda *_: next(cuts, None)) as proxy:
            client = self.client(proxy.url)
            client.files.upload(LEASE, name="lost.txt", context_id="lost", on_duplicate="keep_both")
            self.assertEqual(len(proxy.seen), 3)
        self.assertEqual(len(list(self.carrel.files.list(context_id="lost"))), 1)

    def test_what_has_no_key_is_not_sent_again_after_a_cut(self):
        with Proxy(lambda *_: 0) as proxy:
            client = self.client(proxy.url)
            with self.assertRaises(carrel.ConnectionError):
                client.api.create_link({"file_id": "file_x", "expires_in": 60})
            self.assertEqual(len(proxy.seen), 1)

    def test_it_ends_after_the_retry_time(self):
        with Proxy(lambda *_: (503, {"retry-after": "30"})) as proxy:
            with self.assertRaises(carrel.ApiError) as raised:
                self.client(proxy.url, retry_time=5).models.list()
            self.assertEqual((raised.exception.status, raised.exception.retry_after, len(proxy.seen)), (503, 30, 1))
        with self.assertRaises(carrel.ConnectionError):
            self.client("http://127.0.0.1:9", retry_time=0).models.list()

    def test_a_time_limit(self):
        with Proxy(lambda *_: time.sleep(1) or None) as proxy:
            with self.assertRaises(carrel.TimeoutError):
                self.client(proxy.url, timeout=0.2, retry_time=0).models.list()


class Pauses(unittest.TestCase):
    def test_they_grow_to_eight_seconds(self):
        with mock.patch.object(_policy, "FIRST_PAUSE_SECONDS", PAUSE_SECONDS):
            for tries, most in ((0, 0.5), (1, 1), (4, 8), (5, 8), (1_000, 8)):
                for _ in range(100):
                    pause = _policy.pause_of(carrel.ConnectionError("cut"), tries, True)
                    self.assertTrue(most / 2 <= pause <= most, (tries, pause))


class Errors(WithServer):
    def test_each_code_is_a_class_with_the_request_id(self):
        with self.assertRaises(carrel.NotFoundError) as raised:
            self.carrel.files.get("file_x")
        self.assertEqual((raised.exception.status, raised.exception.code), (404, "not_found"))
        self.assertRegex(raised.exception.request_id, r"^req_")
        with self.assertRaises(carrel.InvalidRequestError) as invalid:
            self.carrel.search("")
        self.assertEqual(invalid.exception.details[0]["field"], "query")
        with self.assertRaises(carrel.UnauthorizedError):
            self.client(token="cid_x.cpk_y.csk_z").models.list()

    def test_no_credential_is_in_representations_logs_or_errors(self):
        secret = os.environ["CARREL_TOKEN"].split(".")[2]
        lines = []
        handler = logging.Handler()
        handler.emit = lambda record: lines.append(record.getMessage())
        logging.getLogger().addHandler(handler)
        level = logging.getLogger().level
        logging.getLogger().setLevel(logging.DEBUG)
        try:
            self.carrel.models.list()
            with self.assertRaises(carrel.ApiError) as raised:
                self.carrel.files.get("file_x")
        finally:
            logging.getLogger().removeHandler(handler)
            logging.getLogger().setLevel(level)
        told = [repr(self.carrel), str(self.carrel), repr(self.carrel._transport.settings), repr(raised.exception), *lines]
        self.assertTrue(lines)
        for text in told:
            self.assertNotIn(secret, text)


class EventsBatchesRuns(WithServer):
    def test_events_go_on_behind_the_one_that_was_taken(self):
        answer = self.carrel.files.upload(LEASE, name="event.txt", context_id="events")
        self.carrel.files.wait_until_searchable(answer["files"][0]["id"])
        kept = []
        first = list(self.carrel.events.follow(types=["file.searchable"], save=kept.append, once=True))
        self.assertEqual([event["id"] for event in first], kept)
        self.assertEqual(list(self.carrel.events.follow(types=["file.searchable"], after=kept[-1], once=True)), [])

    def test_a_batch_answers_each_line_once(self):
        requests = [
            {"custom_id": f"{n}", "method": "POST", "url": "/external/search", "body": {"query": "notice"}} for n in range(3)
        ]
        batch = self.carrel.batches.create(requests)
        self.assertEqual(self.carrel.batches.wait(batch["id"])["status"], "completed")
        self.assertEqual(sorted(line["custom_id"] for line in self.carrel.batches.results(batch["id"])), ["0", "1", "2"])

    def test_a_run_is_followed_and_ends(self):
        started = self.carrel.agents.start("What is 6 * 7?", model=Replies.model)
        events = list(self.carrel.agents.follow(started["run_id"]))
        self.assertEqual(events[-1]["event"], "done")
        self.assertEqual(self.carrel.agents.wait(started["run_id"])["status"], "completed")

    def test_redaction_and_tokens(self):
        self.assertEqual(self.carrel.redact("Mail to jane@example.com")["text"], "Mail to [REDACTED_EMAIL]")
        token = self.carrel.tokens.create(scopes=["search"], expires_in=60)["token"]
        narrow = self.client(token=token)
        self.assertIn("hits", narrow.search("notice"))
        with self.assertRaises(carrel.ForbiddenError):
            narrow.models.list()


class Signatures(unittest.TestCase):
    secret = "whsec_" + base64.b64encode(b"k" * 24).decode()
    body = b'{"type": "file.deleted", "timestamp": "t", "data": {"id": "file_x"}}'

    def headers(self, at):
        signature = base64.b64encode(hmac.new(b"k" * 24, b"evt_1.%d." % at + self.body, hashlib.sha256).digest()).decode()
        return {"Webhook-Id": "evt_1", "webhook-timestamp": str(at), "webhook-signature": f"v1,AAAA v1,{signature}"}

    def test_a_message_of_carrel_is_known_and_nothing_else_is(self):
        headers = self.headers(1_000)
        event = carrel.webhooks.verify(self.body, headers, self.secret, now=1_100)
        self.assertEqual((event["id"], event["type"]), ("evt_1", "file.deleted"))
        for body, given, now in [
            (self.body + b" ", headers, 1_000),
            (self.body, {**headers, "Webhook-Id": "evt_2"}, 1_000),
            (self.body, {**headers, "webhook-signature": "v2,x v1,é"}, 1_000),
            (self.body, headers, 1_400),
            (self.body, headers, 600),
            (self.body, {}, 1_000),
        ]:
            with self.assertRaises(carrel.SignatureError):
                carrel.webhooks.verify(body, given, self.secret, now=now)


class Parsing(unittest.TestCase):
    def test_events_are_the_same_wherever_their_bytes_are_cut(self):
        stream = ': ping\r\n\r\nid: 1\r\nevent: a\r\ndata: {"x": "ü\U0001f600"}\r\n\r\nid:2\ndata:one\ndata: two\n\nid: 3\ndata: cut'.encode()
        expected = [("1", "a", '{"x": "ü\U0001f600"}'), ("2", "message", "one\ntwo")]
        for cut in range(len(stream) + 1):
            parser = EventParser()
            self.assertEqual([*parser.feed(stream[:cut]), *parser.feed(stream[cut:])], expected)


class Readme(unittest.TestCase):
    def test_every_example_runs(self):
        examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
        self.assertGreaterEqual(len(examples), 5)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for number, code in enumerate(examples):
                    with self.subTest(number=number):
                        exec(compile(code, f"example {number}", "exec"), {"__name__": "__main__", "print": lambda *_, **__: None})
            finally:
                os.chdir(before)


class Package(unittest.TestCase):
    def test_the_version_is_that_of_the_product(self):
        product = json.loads((ROOT.parent.parent / "package.json").read_text())["version"]
        project = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)
        self.assertEqual((carrel.__version__, project and project[1]), (product, product))


if __name__ == "__main__":
    unittest.main()
