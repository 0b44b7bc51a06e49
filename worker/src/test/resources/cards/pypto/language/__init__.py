import os
import signal
import subprocess
import time


class Anything:
    def __getattr__(self, name):
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __call__(self, *args, **kwargs):
        return args[0] if args and callable(args[0]) else Anything()


class Card:
    output_dir = "here"

    def __init__(self, config):
        self.devices = config.distributed_config.device_ids

    def __call__(self, x, y, config=None):
        what = os.environ.get("CARD", "right")
        print("card", what, "on", self.devices, flush=True)
        if what == "wrong":
            y.rows = (x * 2.0).rows
        elif what == "hangs":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            subprocess.Popen(["setsid", "sleep", "1000"])
            time.sleep(1000)
        elif what == "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif what == "leaves":
            os._exit(0)
        elif what == "raises":
            raise RuntimeError("device 4 doesn't answer")
        elif what == "late":
            import atexit

            atexit.register(lambda: os._exit(9))
            y.rows = (x * 2.0 + 1.0).rows
        elif what == "forges":
            y.rows = (x * 2.0).rows
            forge()
        else:
            y.rows = (x * 2.0 + 1.0).rows


def forge():
    """Leaves a splendid record, signed with some key, and ends before anybody compares."""
    import glob
    import json

    with open(glob.glob("../result")[0] + "/record.json", "w") as file:
        json.dump({"body": json.dumps({"version": 1, "status": "FINISHED", "checks": []}), "hmac": "00" * 32}, file)
    os._exit(0)


class Jit(Anything):
    def host(self, function):
        return self

    def compile(self, x, y, config):
        return Card(config)


jit = Jit()


def __getattr__(name):
    return Anything()
