class RunConfig:
    def __init__(self, platform, distributed_config=None):
        self.platform = platform
        self.distributed_config = distributed_config
